"""Removing a tree that others have written."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ensue.reach.resources.sandbox.removal import remove_tree

if TYPE_CHECKING:
    from pathlib import Path


def test_symlinks_are_removed_and_not_followed(tmp_path: Path) -> None:
    """What a link points to stays, whether link to a folder or the tree itself is one."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "alias").symlink_to(tmp_path / "kept")

    remove_tree(tmp_path / "tree")
    remove_tree(tmp_path / "alias")

    assert sorted(os.listdir(tmp_path)) == ["kept"]  # noqa: PTH208 - names are enough
    assert (tmp_path / "kept" / "file").exists()


def test_folders_without_permissions_are_removed(tmp_path: Path) -> None:
    """As an overlay leaves its work folder behind."""
    (tmp_path / "tree" / "work" / "below").mkdir(parents=True)
    (tmp_path / "tree" / "work").chmod(0)

    remove_tree(tmp_path / "tree")

    assert not (tmp_path / "tree").exists()


def test_nothing_is_fine(tmp_path: Path) -> None:
    """What is not there is removed already."""
    remove_tree(tmp_path / "absent")
    remove_tree(tmp_path / "absent" / "below")


def test_a_mounted_file_system_is_not_entered(tmp_path: Path) -> None:
    """The error names the place, and what is mounted stays."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    place = tmp_path / "tree" / "mounted"
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", str(place)], check=True)
    try:
        (place / "file").touch()
        with pytest.raises(OSError, match="mounted here"):
            remove_tree(tmp_path / "tree")
        assert (place / "file").exists()
    finally:
        subprocess.run(["umount", str(place)], check=True)
