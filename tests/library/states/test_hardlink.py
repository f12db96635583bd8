"""`file.hardlink`: real files below a temporary folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.library.states.system_states import HERE, context, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hard_link_follows_its_target(tmp_path: Path) -> None:
    """Both names are one file; a hard link to another file is moved to the new target without force."""
    here = MinionConnection(HERE)
    first, second, link = tmp_path / "first", tmp_path / "second", tmp_path / "link"
    first.write_text("first")
    second.write_text("second")
    thrice("file.hardlink", here, str(link), target=str(first))
    assert link.stat().st_ino == first.stat().st_ino

    planned, done = thrice("file.hardlink", here, str(link), target=str(second))
    assert (planned.result, planned.changes) == (None, {"change": str(link)})
    assert (done.changes, done.comment) == (
        {"new": str(link)}, f"Set target of hard link {link} -> {second}",
    )  # fmt: skip
    assert link.stat().st_ino == second.stat().st_ino
    assert first.read_text() == "first"


def test_what_the_file_system_refuses_is_the_comment(tmp_path: Path) -> None:
    """A hard link to another file system fails with the error of `ln`, and leaves what is there."""
    here, link = MinionConnection(HERE), tmp_path / "link"
    refused = state("file.hardlink", context(here), str(link), target="/proc/version")
    assert (refused.result, refused.changes) == (False, {})
    assert refused.comment.startswith(f"Unable to create new hard link {link} -> /proc/version: ln:")
    assert not link.exists()
