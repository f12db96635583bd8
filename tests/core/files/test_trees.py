"""What is below a folder, through links to folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ensue.core.files.trees import files_below, links_below

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with links to folders inside and outside it, and with loops."""
    (tmp_path / "outside/deep").mkdir(parents=True)
    (tmp_path / "outside/deep/o").touch()
    tree = tmp_path / "tree"
    (tree / "real").mkdir(parents=True)
    (tree / "real/f").touch()
    (tree / "inside").symlink_to("real")
    (tree / "out").symlink_to(tmp_path / "outside")
    (tree / "real/up").symlink_to("..")
    (tree / "nowhere").symlink_to("gone")
    (tree / "itself").symlink_to("itself")
    return tree


def listed(tree: Path) -> list[str]:
    """The relative paths of the files below a folder."""
    return sorted(relative for relative, _ in files_below(tree))


def test_links_to_folders_are_entered(tree: Path) -> None:
    """A folder is listed for each link to it; a link to a folder above the link ends there."""
    assert listed(tree) == ["inside/f", "itself", "nowhere", "out/deep/o", "real/f"]


def test_two_folders_that_link_to_each_other(tmp_path: Path) -> None:
    """The loop ends where a folder would be entered again, at whichever folder the walk begins."""
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of-{name}").touch()
        (tmp_path / name / "other").symlink_to(f"../{other}")
    assert listed(tmp_path) == ["a/of-a", "a/other/of-b", "b/of-b", "b/other/of-a"]
    assert listed(tmp_path / "a") == ["of-a", "other/of-b"]


def test_links_are_listed_with_what_they_say(tree: Path) -> None:
    """Links that stay below the root are listed, broken ones too, but none that leads out."""
    assert links_below(tree / "real", tree)["up"] == ".."
    assert links_below(tree, tree) == {
        "inside": "real",
        "inside/up": "..",
        "itself": "itself",
        "nowhere": "gone",
        "real/up": "..",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_closed_folder_is_reported(tree: Path) -> None:
    """A folder that cannot be listed is left out, and the caller gets to know."""
    (tree / "real").chmod(0)
    errors: list[OSError] = []
    paths = sorted(path for path, _ in files_below(tree, on_error=errors.append))
    assert paths == ["itself", "nowhere", "out/deep/o"]
    assert {error.filename for error in errors} == {str(tree / "real"), str(tree / "inside")}
