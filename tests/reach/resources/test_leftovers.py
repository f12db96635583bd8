"""The notes of temporary files: kept while a process lives, taken over once it is gone."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from ensue.reach.resources.leftovers import HERE, Leftovers

if TYPE_CHECKING:
    from pathlib import Path

HOST = "ssh_host:web-01"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".ensue/leftovers"


def killed(folder: Path, *left: tuple[str, str], done: tuple[tuple[str, str], ...] = ()) -> None:
    """Have a process note files, and kill it."""
    pid = os.fork()
    if pid == 0:
        mine = Leftovers(folder)
        for file in (*done, *left):
            mine.begin(*file)
        for file in done:
            mine.end(*file)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)


def test_only_what_is_noted_and_named_so_is_removed(folder: Path, tmp_path: Path) -> None:
    """Files and symlinks go; folders, other names, files that were not noted or are done with stay."""
    file, link = tmp_path / ".ensue-1\udcff", tmp_path / ".ensue-2"
    inner, other = tmp_path / ".ensue-3", tmp_path / "important"
    done, unknown = tmp_path / ".ensue-4", tmp_path / ".ensue-5"
    link.symlink_to(other)
    inner.mkdir()
    for path in (file, other, done, unknown):
        path.touch()
    killed(folder, *((HERE, str(path)) for path in (file, link, inner, other)), done=((HERE, str(done)),))
    assert file.exists()
    notes = Leftovers(folder)
    notes.take_over()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".ensue", ".ensue-3", ".ensue-4", ".ensue-5", "important",
    ]  # fmt: skip
    assert list(folder.iterdir()) == []


def test_what_is_on_a_host_waits_for_it(folder: Path) -> None:
    """It is handed over once, and stays noted from process to process until it is gone."""
    killed(folder, (HOST, "/a/.ensue-1"), (HOST, "/a/.ensue-2"))
    first = Leftovers(folder)
    first.take_over()
    first.close()
    assert len(list(folder.iterdir())) == 1
    second = Leftovers(folder)
    second.take_over()
    assert second.left(HOST) == ["/a/.ensue-1", "/a/.ensue-2"]
    assert second.left(HOST) == []
    second.end(HOST, "/a/.ensue-1")
    second.close()
    third = Leftovers(folder)
    third.take_over()
    assert third.left(HOST) == ["/a/.ensue-2"]
    third.end(HOST, "/a/.ensue-2")
    third.close()
    assert list(folder.iterdir()) == []


def test_a_process_that_lives_keeps_its_notes(folder: Path, tmp_path: Path) -> None:
    """Nobody takes over what somebody else holds."""
    file = tmp_path / ".ensue-1"
    file.touch()
    mine, other = Leftovers(folder), Leftovers(folder)
    with mine.noted(HERE, str(file)):
        other.take_over()
        assert file.exists()
        assert len(list(folder.iterdir())) == 1
    mine.close()
    assert list(folder.iterdir()) == []


def test_notes_that_are_damaged_remove_nothing(folder: Path, tmp_path: Path) -> None:
    """A line cut short, and bytes that are no note, are passed over; the others count."""
    file, other = tmp_path / ".ensue-1", tmp_path / ".ensue-2"
    for path in (file, other):
        path.touch()
    killed(folder, (HERE, str(file)), (HERE, str(other)))
    (notes,) = folder.iterdir()
    notes.write_bytes(b"\xff\x00\n" + notes.read_bytes()[:-5])
    Leftovers(folder).take_over()
    assert (file.exists(), other.exists()) == (False, True)


def test_where_nothing_can_be_noted_work_goes_on(tmp_path: Path) -> None:
    """A cachedir that cannot be written does not keep files from being written."""
    (tmp_path / "file").touch()
    notes = Leftovers(tmp_path / "file/leftovers")
    with notes.noted(HERE, "/x/.ensue-1"):
        pass
    notes.close()
