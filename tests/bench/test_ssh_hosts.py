"""The hosts of the benchmark are hosts of their own."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from sshd import missing_part, running_hosts

BENCH: Final = Path(__file__).parents[2] / "bench"
WAITING: Final = """\
import signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from run import leave_on_sigterm
from sshd import running_hosts
leave_on_sigterm()
with running_hosts(Path(sys.argv[2]), 2):
    print("running", flush=True)
    signal.pause()
"""
"""Waits beside two hosts for a signal."""

pytestmark = [
    pytest.mark.openssh,
    pytest.mark.skipif(bool(missing_part()), reason=f"hosts cannot be started here: {missing_part()}"),
]


def test_each_host_has_files_of_its_own(tmp_path: Path) -> None:
    """What is written at one path of a host is in that host's folder, and in no other."""
    with running_hosts(tmp_path, 2) as hosts:
        options = ["-F", "none", "-p", str(hosts.port), "-i", str(tmp_path / "key"), "-o", "BatchMode=yes"]
        options += ["-o", f"UserKnownHostsFile={tmp_path}/known_hosts"]
        for id_, address in hosts.addresses.items():
            line = f"echo {id_} > {hosts.target}/file"
            subprocess.run(["ssh", *options, f"root@{address}", line], check=True, capture_output=True)
        contents = {id_: (hosts.files(id_) / "file").read_text() for id_ in hosts.addresses}
    assert contents == {id_: f"{id_}\n" for id_ in hosts.addresses}
    assert not list(hosts.target.iterdir())


def test_a_benchmark_ended_by_sigterm_ends_its_hosts(tmp_path: Path) -> None:
    """Its exit code is 143, and no server goes on."""
    argv = [sys.executable, "-c", WAITING, str(BENCH), str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"running\n"
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait() == 143
    assert not [line for line in _command_lines() if str(tmp_path).encode() in line]


def _command_lines() -> list[bytes]:
    lines: list[bytes] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        # A process may end between the two.
        with suppress(OSError):
            lines.append(path.read_bytes())
    return lines
