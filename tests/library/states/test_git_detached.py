"""`git.detached`: this machine's git, and a repository in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context, state
from tests.library.states.test_git import Remote

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    repository = Remote(tmp_path / "remote", tmp_path / "copy")
    repository.folder.mkdir()
    repository.git("init", "-q", "-b", "main")
    repository.commit("one")
    repository.git("tag", "v1")
    return repository


def detached(remote: Remote, rev: str, *, test: bool = False, **arguments: Any) -> StateReturn:
    ctx = context(MinionConnection(HERE), test=test)
    return state("git.detached", ctx, str(remote.folder), rev=rev, target=str(remote.target), **arguments)


def holds(remote: Remote, rev: str) -> None:
    for test in (True, False):
        returned = detached(remote, rev, test=test)
        assert (returned.result, returned.changes) == (True, {}), returned.comment


def test_a_tag_a_branch_and_a_commit(remote: Remote) -> None:
    """A tag is cloned, a branch followed, and a commit that was fetched is found without the remote."""
    first = remote.git("rev-parse", "v1")
    planned = detached(remote, "v1", test=True)
    assert (planned.result, remote.target.exists()) == (None, False)
    done = detached(remote, "v1")
    assert done.changes == {"HEAD": {"old": None, "new": first}}
    assert remote.head() == (first, "")
    holds(remote, "v1")

    second = remote.commit("two")
    planned = detached(remote, "main", test=True)
    assert planned.changes == {"HEAD": {"old": first, "new": second}}
    assert "would be fetched" in planned.comment
    assert detached(remote, "main").changes == {"HEAD": {"old": first, "new": second}}
    holds(remote, "main")

    remote.folder.rename(remote.folder.with_name("moved"))
    assert detached(remote, first).changes == {"HEAD": {"old": second, "new": first}}
    assert detached(remote, "v1", fetch_remote=False).changes == {}
    assert detached(remote, "main").result is False


def test_changes_in_the_way(remote: Remote) -> None:
    """Uncommitted changes stop a checkout unless they are reset first or overwritten."""
    detached(remote, "v1")
    remote.commit("two")
    file = remote.target / "file"
    file.write_text("mine")
    assert detached(remote, "main").result is False
    assert file.read_text() == "mine"
    assert detached(remote, "main", force_checkout=True).result is True
    file.write_text("mine")
    planned = detached(remote, "main", hard_reset=True, test=True)
    assert (planned.result, "Hard reset" in planned.comment) == (None, True)
    assert detached(remote, "main", hard_reset=True).result is True
    assert file.read_text() == "two"


def test_what_is_in_the_folder(remote: Remote) -> None:
    """A folder that is no working copy is replaced only when that is asked for; another remote is set."""
    remote.target.mkdir()
    (remote.target / "old").write_text("x")
    assert "'force_clone'" in detached(remote, "v1").comment
    assert detached(remote, "v1", force_clone=True).changes["forced clone"] is True
    assert not (remote.target / "old").exists()
    remote.git("remote", "set-url", "origin", "/nowhere", at=remote.target)
    assert detached(remote, "main", test=True).result is None
    assert detached(remote, "main").result is True
    assert remote.git("remote", "get-url", "origin", at=remote.target) == str(remote.folder)
    assert "does not exist" in detached(remote, "v9", fetch_remote=False).comment


def test_logins_are_masked() -> None:
    """A password is part of the URL that git is given, and of nothing that is shown."""
    fake = FakeConnection()
    fake.on_run("git *", returncode=128, stderr=b"cannot log in as me:hunter2%21")
    ctx = context(fake)
    login = {"https_user": "me", "https_pass": "hunter2!", "rev": "main", "target": "/srv/x"}
    done = state("git.detached", ctx, "https://host/x.git", **login)
    assert done.result is False
    assert "hunter2" not in ctx.masker.text(done.comment)
    assert fake.commands[0].argv
    assert "https://me:hunter2%21@host/x.git" in fake.commands[0].argv
    done = state("git.detached", ctx, "git@host:x.git", **login)
    assert "begin with https://" in done.comment
