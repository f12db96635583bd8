"""`git.present`: this machine's git, and folders below a temporary one."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here() -> MinionConnection:
    return MinionConnection(HERE)


def configured(folder: Path, key: str) -> str:
    command = ["git", "-C", folder, "config", "--get", key]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_bare_repository(here: MinionConnection, tmp_path: Path) -> None:
    """Without `bare: false` the repository has no working copy; it is made once."""
    place = tmp_path / "repository"
    planned, done = thrice("git.present", here, str(place))
    assert (planned.result, planned.changes) == (None, {"new": str(place)})
    assert planned.comment == "New bare repository would be created"
    assert (done.changes, done.comment) == (
        {"new": str(place)}, f"Initialized bare repository in {place}",
    )  # fmt: skip
    assert configured(place, "core.bare") == "true"
    assert done.new_state == {"path": str(place), "bare": True}


def test_a_working_copy_with_its_options(here: MinionConnection, tmp_path: Path) -> None:
    """`template`, `separate_git_dir` and `shared` are those of `git init`; YAML reads 0660 as 660."""
    place, template, elsewhere = (tmp_path / name for name in ("copy", "template", "git"))
    template.mkdir()
    (template / "description").write_text("by a template")
    options = {"template": str(template), "separate_git_dir": str(elsewhere), "shared": 660}
    _, done = thrice("git.present", here, str(place), bare=False, **options)
    assert done.comment == (
        f"Initialized repository in {place}. Template directory set to {template}. Gitdir set to {elsewhere}."
    )
    assert (place / ".git").is_file()
    assert (elsewhere / "description").read_text() == "by a template"
    assert configured(place, "core.sharedrepository") == "0660"


def test_other_content_is_deleted_only_by_force(here: MinionConnection, tmp_path: Path) -> None:
    """A folder that is not empty and no repository stays, unless `force` is set; a file is never deleted."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    place = str(tmp_path / "full")
    refused = state("git.present", context(here), place)
    assert (refused.result, refused.changes) == (False, {})
    assert "exists, is non-empty, and is not a git repository" in refused.comment
    planned, done = thrice("git.present", here, place, force=True)
    assert planned.comment.startswith(f"Target directory {place} exists. Since force=True")
    assert planned.changes == done.changes == {"new": place, "forced init": True}
    assert not (tmp_path / "full/file").exists()
    (tmp_path / "file").write_text("mine")
    assert state("git.present", context(here), str(tmp_path / "file"), force=True).result is False
