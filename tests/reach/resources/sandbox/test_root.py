"""The folder that a sandbox's file root is made of."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ensue.reach.resources.sandbox.root import OWN_FOLDERS, copy_folders, prepare_root


def test_a_root_has_its_own_folders(tmp_path: Path) -> None:
    """With their modes, /tmp for everyone among them, whatever the umask."""
    before = os.umask(0o077)
    try:
        root = prepare_root(tmp_path, "env-01")
    finally:
        os.umask(before)

    assert {name: stat.S_IMODE((root / name).stat().st_mode) for name in OWN_FOLDERS} == OWN_FOLDERS
    assert (root / "etc/hostname").read_text() == "env-01\n"
    assert "env-01" in (root / "etc/hosts").read_text()


def test_only_what_everyone_may_read_is_copied(tmp_path: Path) -> None:
    """No file of the copy of /etc was for somebody's eyes only, even when root makes it."""
    root = prepare_root(tmp_path, "env-01")

    for path in (root / "etc").rglob("*"):
        original = Path("/") / path.relative_to(root)
        if path.is_file() and not path.is_symlink() and not original.is_symlink():
            assert original.stat().st_mode & stat.S_IROTH, original
            assert not path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID), path


def test_a_complete_root_is_left_alone(tmp_path: Path) -> None:
    """What was done in it stays; an incomplete one is made anew."""
    root = prepare_root(tmp_path, "env-01")
    (root / "etc/kept").touch()

    prepare_root(tmp_path, "env-01")
    assert (root / "etc/kept").exists()

    (tmp_path / "root.ready").unlink()
    prepare_root(tmp_path, "env-01")
    assert not (root / "etc/kept").exists()


def test_folders_are_copied_without_files_and_without_what_is_hidden(tmp_path: Path) -> None:
    """To the depth that is asked for, symlinks left out."""
    source, copy = tmp_path / "source", tmp_path / "copy"
    (source / "a/b/c").mkdir(parents=True)
    (source / "hidden/b").mkdir(parents=True)
    (source / "a/file").touch()
    (source / "link").symlink_to("a")
    copy.mkdir()

    copy_folders(source, copy, depth=2, hidden=source / "hidden")

    assert sorted(str(path.relative_to(copy)) for path in copy.rglob("*")) == ["a", "a/b"]
