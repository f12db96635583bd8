"""Folders that are made once, used by several processes, and removed when nobody uses them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ensue.salt.fleet.kept_folders import KeptFolders

if TYPE_CHECKING:
    from pathlib import Path


def _fill(folder: Path) -> None:
    (folder / "file").write_text("content")


def _names(parent: Path) -> set[str]:
    return {path.name for path in parent.iterdir()}


def test_a_folder_in_use_is_not_removed(tmp_path: Path) -> None:
    """A lease keeps a folder however many newer ones there are; then it goes with the next one."""
    folders = KeptFolders(tmp_path, 1)
    with folders.make("0", _fill) as lease:
        for name in "123":
            folders.make(name, _fill).release()
        assert (lease.path / "file").read_text() == "content"
        assert _names(tmp_path) == {"0", "3"}
    folders.make("4", _fill).release()
    assert _names(tmp_path) == {"4"}


def test_a_child_process_holds_the_lease_that_it_inherits(tmp_path: Path) -> None:
    """A folder stays until the process that uses it has ended, also when its parent has released it."""
    folders = KeptFolders(tmp_path, 1)
    lease = folders.make("0", _fill)
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(lease.descriptor,)) as child:
        lease.release()
        folders.make("1", _fill).release()
        assert _names(tmp_path) == {"0", "1"}
        assert child.stdin is not None
        child.stdin.close()
        child.wait()
    folders.make("2", _fill).release()
    assert _names(tmp_path) == {"2"}


def test_what_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    """A failure while a folder is filled removes what was made so far."""
    folders = KeptFolders(tmp_path, 1)

    def fail(folder: Path) -> None:
        _fill(folder)
        raise OSError(28, os.strerror(28))

    with pytest.raises(OSError, match="No space"):
        folders.make("0", fail)
    assert _names(tmp_path) == set()
    assert folders.lease("0") is None


def test_what_cannot_be_removed_delays_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose removal failed does not keep a later one of the same name from being removed."""
    folders = KeptFolders(tmp_path, 1)
    with monkeypatch.context() as stuck:
        stuck.setattr("shutil.rmtree", lambda *_, **__: None)
        for name in "0101":
            folders.make(name, _fill).release()
    folders.make("2", _fill).release()
    assert _names(tmp_path) == {"2"}


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """A folder that is half made is never taken for a complete one, and the next one removes it."""
    program = (
        "import os, pathlib, sys; from ensue.salt.fleet.kept_folders import KeptFolders\n"
        "KeptFolders(pathlib.Path(sys.argv[1]), 1).make('0', lambda folder: os.kill(os.getpid(), 9))"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    assert len(_names(tmp_path)) == 1
    folders = KeptFolders(tmp_path, 1)
    assert folders.lease("0") is None
    folders.make("0", _fill).release()
    assert _names(tmp_path) == {"0"}


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    """Later processes get the folder that is there."""
    folders = KeptFolders(tmp_path, 1)
    folders.make("0", _fill).release()
    with folders.make("0", lambda _: pytest.fail("made twice")) as lease:
        assert lease.path == tmp_path / "0"
