"""Sources are found below the roots, and nowhere else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ensue.errors import StateFailedError
from ensue.language.file_sources import ProjectFiles
from ensue.language.roots import Roots

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> ProjectFiles:
    for folder in ("one", "two"):
        (tmp_path / folder / "sub").mkdir(parents=True)
    (tmp_path / "one/a.txt").write_text("first")
    (tmp_path / "two/a.txt").write_text("second")
    (tmp_path / "two/sub/b.txt").write_text("b")
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "one/link.txt").symlink_to(tmp_path / "outside.txt")
    return ProjectFiles(Roots({"base": [tmp_path / "one", tmp_path / "two"]}, tmp_path))


def test_the_first_root_wins(files: ProjectFiles) -> None:
    """A file that several roots have is read from the first of them."""
    assert asyncio.run(files.read("salt://a.txt")) == b"first"


def test_a_tree_is_the_union_of_all_roots(files: ProjectFiles) -> None:
    """A folder's files are those of every root, sorted."""
    assert files.list_tree("salt://sub") == ["b.txt"]


@pytest.mark.parametrize("source", ["salt://../outside.txt", "salt://link.txt", "salt://sub", "salt://none"])
def test_nothing_outside_the_roots_is_read(files: ProjectFiles, source: str) -> None:
    """Neither dots nor symlinks lead out of a root; what is not there is named with the roots."""
    with pytest.raises(StateFailedError, match="searched below one, two"):
        asyncio.run(files.read(source))


def test_a_path_of_this_machine_is_read(files: ProjectFiles, tmp_path: Path) -> None:
    """An absolute path and a file:// address are the managing minion's."""
    assert asyncio.run(files.read(str(tmp_path / "outside.txt"))) == b"outside"
    assert asyncio.run(files.read(f"file://{tmp_path}/outside.txt")) == b"outside"
