"""Sources are found below the roots, and nowhere else."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StateFailedError
from ensue.language.settings.file_sources import ProjectFiles
from ensue.language.settings.roots import Roots

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


@pytest.mark.parametrize(
    "source", ["salt://../outside.txt", "salt://sub/../../outside.txt", "salt://sub", "salt://none"]
)
def test_nothing_outside_the_roots_is_read(files: ProjectFiles, source: str) -> None:
    """Dots do not lead out of a root; what is not there is named with the roots."""
    with pytest.raises(StateFailedError, match="searched below one, two"):
        asyncio.run(files.read(source))


def test_links_are_followed(files: ProjectFiles, tmp_path: Path) -> None:
    """A link in a root makes a file or a folder of another place part of it."""
    (tmp_path / "one/linked").symlink_to(tmp_path / "two")
    assert asyncio.run(files.read("salt://link.txt")) == b"outside"
    assert asyncio.run(files.read("salt://linked/sub/b.txt")) == b"b"
    assert files.list_tree("salt://linked") == ["a.txt", "sub/b.txt"]
    assert "linked/sub/b.txt" in files.list_tree("salt://")
    assert files.list_links("salt://") == {}
    assert files.list_tree("salt://linked/../..") == []


def test_links_of_the_first_root_win(files: ProjectFiles, tmp_path: Path) -> None:
    """Links that stay in their root are listed by what they say, of several roots those of the first."""
    (tmp_path / "one/sub/inner").symlink_to("../a.txt")
    (tmp_path / "two/sub/inner").symlink_to("b.txt")
    assert files.list_links("salt://sub") == {"inner": "../a.txt"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_closed_folder_is_not_left_out(files: ProjectFiles, tmp_path: Path) -> None:
    """A folder that cannot be listed is an error: `clean` would remove what it contains."""
    (tmp_path / "two/sub").chmod(0)
    with pytest.raises(StateFailedError, match="two/sub cannot be listed: Permission denied"):
        files.list_tree("salt://")


def test_sls_behind_links_have_names(tmp_path: Path) -> None:
    """Globs find the SLS of a formula that is linked into a root."""
    (tmp_path / "formulas/web").mkdir(parents=True)
    (tmp_path / "formulas/web/init.sls").touch()
    (tmp_path / "formulas/web/tls.sls").touch()
    (tmp_path / "states").mkdir()
    (tmp_path / "states/form").symlink_to(tmp_path / "formulas")
    roots = Roots({"base": [tmp_path / "states"]}, tmp_path)
    assert roots.names() == ["form.web", "form.web.tls"]
    assert roots.matching("form.*") == ["form.web", "form.web.tls"]


def test_a_path_of_this_machine_is_read(files: ProjectFiles, tmp_path: Path) -> None:
    """An absolute path and a file:// address are the managing minion's."""
    assert asyncio.run(files.read(str(tmp_path / "outside.txt"))) == b"outside"
    assert asyncio.run(files.read(f"file://{tmp_path}/outside.txt")) == b"outside"
