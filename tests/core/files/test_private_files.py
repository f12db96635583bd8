"""Files that only their owner may read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ensue.core.files import private_files

if TYPE_CHECKING:
    from pathlib import Path


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """A new folder has mode 0700 and its parents are made too."""
    private_files.make_private_directory(tmp_path / "a" / "b")
    assert _mode(tmp_path / "a" / "b") == 0o700


def test_an_open_folder_of_ours_is_closed(tmp_path: Path) -> None:
    """A folder that others may read is closed to them."""
    (tmp_path / "a").mkdir(mode=0o755)
    private_files.make_private_directory(tmp_path / "a")
    assert _mode(tmp_path / "a") == 0o700


def test_a_folder_for_everybody_stays_so(tmp_path: Path) -> None:
    """A sticky folder such as /tmp is left alone."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o1777)
    private_files.make_private_directory(tmp_path / "a")
    assert _mode(tmp_path / "a") == 0o1777


def test_a_file_is_created_whole_and_once(tmp_path: Path) -> None:
    """Of many that create a file at once one succeeds, nothing is left beside it, and it is private."""
    path = tmp_path / "file"
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: private_files.create_whole(path, str(n).encode()), range(40)))
    assert made.count(True) == 1
    assert path.read_bytes() == str(made.index(True)).encode()
    assert list(tmp_path.iterdir()) == [path]
    assert _mode(path) == 0o600


def test_a_replaced_file_is_private_from_the_first_byte(tmp_path: Path) -> None:
    """Replacing a file that others may read leaves one that they may not."""
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o644)
    private_files.replace_whole(path, b"new")
    assert (path.read_bytes(), _mode(path)) == (b"new", 0o600)


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """A temporary file of a dead process goes when the next one is made; one of a living process stays."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    abandoned, in_use = tmp_path / f".file.{dead.pid}.00", tmp_path / f".file.{os.getpid()}.00"
    abandoned.touch()
    in_use.touch()
    private_files.create_whole(tmp_path / "file", b"x")
    assert sorted(tmp_path.iterdir()) == [in_use, tmp_path / "file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    """In a folder that cannot be written the old file stays."""
    path = tmp_path / "file"
    path.write_text("old")
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="denied"):
        private_files.replace_whole(path, b"new")
    tmp_path.chmod(0o700)
    assert path.read_text() == "old"
