"""The hosts of the benchmark are hosts of their own."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from sshd import missing_part, running_hosts

if TYPE_CHECKING:
    from pathlib import Path

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
        found = {id_: (hosts.files(id_) / "file").read_text() for id_ in hosts.addresses}
    assert found == {id_: f"{id_}\n" for id_ in hosts.addresses}
    assert not list(hosts.target.iterdir())
