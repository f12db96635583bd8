"""`make demo-fleet`: the example over three minions of a real Salt master, from beginning to end."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DEMO = Path(__file__).resolve().parents[3] / "tools" / "demo_fleet.py"
PR_SET_CHILD_SUBREAPER = 36


def _demo(folder: Path, python: Path = Path(sys.executable), **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [python, DEMO, folder],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **more},
    )


@pytest.fixture
def orphans() -> Generator[Callable[[], list[str]]]:
    """Adopt the processes that the demo leaves; return their command lines."""
    libc = ctypes.CDLL(None)
    this = importlib.import_module("psutil").Process()  # Salt requires it
    before = set(this.children())
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield lambda: [str(process) for process in set(this.children()) - before]
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


if HAS_SALT:

    def test_the_demo_runs_to_its_end(tmp_path: Path, orphans: Callable[[], list[str]]) -> None:
        """All minions get the value of one, a second apply changes nothing, and no process is left."""
        with _demo(tmp_path / "demo") as demo:
            assert demo.stdout is not None
            out = demo.stdout.read()
        assert demo.returncode == 0, out
        ids = re.findall(r"^(cluster=[0-9a-f]{16})$", out, re.MULTILINE)
        assert len(ids) == 4, out
        assert len(set(ids)) == 1, out
        assert "states: 11 changed, 0 unchanged, 0 failed" in out
        assert "states: 0 changed, 11 unchanged, 0 failed" in out
        assert re.search(r"vm-01/files/etc/user <==\nweb-01$", out, re.MULTILINE), out
        assert re.search(r"^dummy:vm-01 +active +test:make machine +web-02$", out, re.MULTILINE), out
        assert orphans() == []

    def test_an_interrupt_leaves_no_process(tmp_path: Path, orphans: Callable[[], list[str]]) -> None:
        """Interrupted in a run over minions, the demo ends with 130 and stops what it started."""
        with _demo(tmp_path / "demo") as demo:
            assert demo.stdout is not None
            # The apply begins after this line.
            assert any(line.startswith("$ ensue apply") for line in demo.stdout)
            assert len(importlib.import_module("psutil").Process(demo.pid).children(recursive=True)) > 8
            demo.send_signal(signal.SIGINT)
            demo.stdout.read()
        assert demo.returncode == 130
        assert orphans() == []

    def test_a_failure_leaves_no_process(tmp_path: Path, orphans: Callable[[], list[str]]) -> None:
        """If Salt cannot start, the demo names the log, ends with 1 and stops what it started."""
        programs = tmp_path / "programs"
        programs.mkdir()
        (programs / "python").symlink_to(sys.executable)
        (programs / "salt-master").write_text("#!/bin/sh\nexit 3\n")
        (programs / "salt-minion").write_text("#!/bin/sh\nexec sleep 600\n")
        for program in programs.glob("salt-*"):
            program.chmod(0o755)
        path = os.pathsep.join(sys.path)
        with _demo(tmp_path / "demo", programs / "python", PYTHONPATH=path) as demo:
            assert demo.stdout is not None
            out = demo.stdout.read()
        assert demo.returncode == 1, out
        assert "demo-fleet: the process of master has ended: see " in out
        assert orphans() == []
