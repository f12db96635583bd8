"""`file.mknod`: real pipes and, as root, real devices below a temporary folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.library.states.system_states import HERE, context, needs_root, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection


def test_a_pipe(tmp_path: Path) -> None:
    """A pipe is made with the folders above it, and its mode is looked after later."""
    here = MinionConnection(HERE, root=str(tmp_path))
    planned, done = thrice("file.mknod", here, "/run/x/pipe", ntype="p")
    assert (planned.result, planned.comment) == (None, "Fifo pipe /run/x/pipe is set to be created")
    assert done.changes == {"new": "Fifo pipe /run/x/pipe created."}
    assert stat.S_ISFIFO((tmp_path / "run/x/pipe").stat().st_mode)
    planned, done = thrice("file.mknod", here, "/run/x/pipe", ntype="p", mode="0622")
    assert (planned.result, done.changes) == (None, {"mode": "0622"})
    refused = state("file.mknod", context(here), "/run/x", ntype="p")
    assert refused.comment == "/run/x exists and is not a fifo pipe. Refusing to continue"
    assert "Node type unavailable" in state("file.mknod", context(here), "/run/y", ntype="q").comment


@needs_root
def test_a_device(tmp_path: Path) -> None:
    """A device has its numbers; one of other numbers is left alone."""
    try:
        os.mknod(tmp_path / "tried", stat.S_IFCHR, os.makedev(1, 3))
    except OSError:
        pytest.skip("this machine does not let root make devices")
    here, path = MinionConnection(HERE), str(tmp_path / "null")
    _, done = thrice("file.mknod", here, path, ntype="c", major=1, minor=3, mode="0666")
    assert done.changes == {"new": f"Character device {path} created."}
    device = Path(path).stat()
    assert (device.st_rdev, stat.S_IMODE(device.st_mode)) == (os.makedev(1, 3), 0o666)
    refused = state("file.mknod", context(here), path, ntype="c", major=1, minor=5)
    assert "has a different major/minor 1/3" in refused.comment
    _, done = thrice("file.mknod", here, f"{path}b", ntype="b", major=7, minor=260)
    assert Path(f"{path}b").stat().st_rdev == os.makedev(7, 260)
