"""`git.latest` with this machine's git and repositories in folders."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository that a test pushes commits to, and the folder that is to be its working copy."""

    folder: Path
    target: Path

    def git(self, *words: str, at: Path | None = None) -> str:
        done = subprocess.run(
            ["git", "-C", at or self.folder, *words], check=True, capture_output=True, text=True, env={
                "PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_AUTHOR_NAME": "a",
                "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
            },
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, text: str, at: Path | None = None) -> str:
        (at or self.folder).joinpath("file").write_text(text)
        self.git("add", "file", at=at)
        self.git("commit", "-q", "-m", text, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def latest(self, *, test: bool = False, **arguments: Any) -> StateReturn:
        ctx = context(MinionConnection(HERE), test=test)
        return state("git.latest", ctx, str(self.folder), target=str(self.target), **arguments)

    def again(self, **arguments: Any) -> None:
        """The state holds now."""
        for test in (True, False):
            returned = self.latest(test=test, **arguments)
            assert (returned.result, returned.changes) == (True, {}), returned.comment
            assert returned.comment == f"Repository {self.target} is up-to-date"

    def head(self) -> tuple[str, str]:
        at = self.target
        return self.git("rev-parse", "HEAD", at=at), self.git("branch", "--show-current", at=at)


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    """A remote with one commit on `main`."""
    made = Remote(tmp_path / "remote", tmp_path / "sub/copy")
    made.folder.mkdir()
    made.git("init", "-q", "-b", "main")
    made.commit("one")
    return made


def test_a_repository_is_cloned_and_followed(remote: Remote) -> None:
    """It is cloned, left alone while nothing is new, then moved forwards; a plan does none of it."""
    url, target, first = str(remote.folder), str(remote.target), remote.git("rev-parse", "HEAD")
    planned, done = thrice("git.latest", MinionConnection(HERE), url, target=target, rev="main")
    assert (planned.result, planned.changes) == (None, {"new": f"{url} => {target}"})
    assert planned.comment == f"Repository {url} would be cloned to {target}"
    assert done.changes == {"new": f"{url} => {target}", "revision": {"old": None, "new": first}}
    assert done.comment == f"{url} cloned to {target}"
    assert done.new_state == {"path": target, "url": url, "revision": first, "branch": "main"}

    second = remote.commit("two")
    planned = remote.latest(rev="main", test=True)
    assert (planned.result, planned.changes) == (None, {"revision": {"old": first, "new": second}})
    assert remote.head() == (first, "main")
    done = remote.latest(rev="main")
    assert (done.result, done.changes) == (True, {"revision": {"old": first, "new": second}})
    assert done.comment == f"Repository was fast-forwarded to origin/main ({second[:7]})"
    assert remote.head() == (second, "main")
    remote.again(rev="main")
    remote.again()


def test_branches_tags_and_commits_are_revisions(remote: Remote) -> None:
    """Whatever names a revision of the remote can be `rev`, and `branch` is what it is checked out as."""
    first = remote.git("rev-parse", "HEAD")
    remote.git("tag", "-a", "-m", "v1", "v1")
    second = remote.commit("two")
    remote.git("branch", "next")
    remote.latest(rev="v1")
    assert remote.head() == (first, "main")
    remote.again(rev="v1")
    remote.again(rev=first[:9])
    done = remote.latest(rev="next", branch="next")
    assert done.comment == f"'next' was checked out, with origin/next ({second[:7]}) as a starting point"
    assert remote.head() == (second, "next")
    assert remote.git("rev-parse", "--abbrev-ref", "@{upstream}", at=remote.target) == "origin/next"
    remote.again(rev="next", branch="next")
    done = remote.latest(rev="main", branch="main")
    assert remote.head() == (second, "main")
    assert done.changes == {"branch": {"old": "next", "new": "main"}}
    unknown = remote.latest(rev="nosuch")
    assert unknown.comment == "No revision matching 'nosuch' exists in the remote repository"


def test_a_new_clone_gets_the_branch_it_is_asked_for(remote: Remote) -> None:
    """`branch` names the local branch of a clone."""
    done = remote.latest(rev="main", branch="mine")
    assert remote.head()[1] == "mine"
    assert "'mine' was checked out, with origin/main" in done.comment
    remote.again(rev="main", branch="mine")


def test_what_would_be_lost_has_to_be_forced(remote: Remote) -> None:
    """Commits of one's own and uncommitted changes stay, unless `force_reset` gives them up."""
    remote.latest(rev="main")
    remote.target.joinpath("file").write_text("mine")
    kept = remote.latest(rev="main")
    assert (kept.result, kept.changes, "with uncommitted changes" in kept.comment) == (True, {}, True)
    second = remote.commit("two")
    refused = remote.latest(rev="main")
    assert (refused.result, "there are uncommitted changes" in refused.comment) == (False, True)
    assert remote.target.joinpath("file").read_text() == "mine"
    planned = remote.latest(rev="main", force_reset="remote-changes", test=True)
    assert (planned.result, planned.changes["forced update"]) == (None, True)
    done = remote.latest(rev="main", force_reset="remote-changes")
    assert (done.result, done.changes["forced update"]) == (True, True)
    assert (remote.head()[0], remote.target.joinpath("file").read_text()) == (second, "two")

    own = remote.commit("own", at=remote.target)
    third = remote.commit("three")
    refused = remote.latest(rev="main")
    assert (refused.result, "not a fast-forward merge" in refused.comment) == (False, True)
    assert remote.head()[0] == own
    done = remote.latest(rev="main", force_reset=True)
    assert done.changes == {"forced update": True, "revision": {"old": own, "new": third}}
    assert f"hard-reset to origin/main ({third[:7]})" in done.comment
    remote.again(rev="main", force_reset=True)
    remote.target.joinpath("file").write_text("mine")
    assert remote.latest(rev="main", force_reset=True).changes == {"forced update": True}
    remote.again(rev="main", force_reset=True)


def test_a_folder_in_the_way_has_to_be_forced(remote: Remote) -> None:
    """A folder with something in it is kept, unless `force_clone` gives it up; an empty one is used."""
    remote.target.mkdir(parents=True)
    remote.target.joinpath("mine").write_text("x")
    refused = remote.latest()
    assert (refused.result, "force_clone" in refused.comment) == (False, True)
    assert remote.latest(force_clone=True, test=True).changes["forced clone"] is True
    assert remote.target.joinpath("mine").exists()
    done = remote.latest(force_clone=True)
    assert (done.result, done.changes["forced clone"]) == (True, True)
    assert not remote.target.joinpath("mine").exists()
    remote.again(force_clone=True)


def test_a_clone_can_be_shallow(remote: Remote) -> None:
    """`depth` clones no more than it says, and goes on from there; it needs a branch or tag."""
    remote.commit("two")
    url = f"file://{remote.folder}"
    here = MinionConnection(HERE)
    thrice("git.latest", here, url, target=str(remote.target), rev="main", depth=1)
    assert remote.git("rev-list", "--count", "HEAD", at=remote.target) == "1"
    third = remote.commit("three")
    thrice("git.latest", here, url, target=str(remote.target), rev="main", depth=1, force_reset=True)
    assert remote.head()[0] == third
    assert "branch or tag" in remote.latest(depth=1).comment


def test_a_moved_remote_is_followed(remote: Remote, tmp_path: Path) -> None:
    """Another URL becomes the remote's."""
    remote.latest()
    remote.folder.rename(tmp_path / "moved")
    moved = Remote(tmp_path / "moved", remote.target)
    change = {"url": {"old": str(remote.folder), "new": str(moved.folder)}}
    assert moved.latest(test=True).changes == change
    assert moved.latest().changes == change
    moved.again()


def test_faults_are_told(remote: Remote, tmp_path: Path) -> None:
    """An unreachable remote, a relative target, a missing key and a missing git are results False."""
    nowhere = Remote(tmp_path / "nowhere", remote.target)
    assert "Failed to check remote refs" in nowhere.latest().comment
    assert "identity 'relative' is not an absolute path" in remote.latest(identity="relative").comment
    assert remote.latest(identity=[str(tmp_path / "no")]).comment.endswith("does not exist.")
    ctx = context(MinionConnection(HERE))
    assert "not an absolute path" in state("git.latest", ctx, str(remote.folder), target="x").comment
    bare = context(FakeConnection())
    assert "no program `git`" in state("git.latest", bare, "https://host/x.git", target="/x").comment


def test_an_empty_remote_is_cloned_empty(tmp_path: Path) -> None:
    """A repository without commits is cloned; there is no revision, then or later."""
    empty = Remote(tmp_path / "empty", tmp_path / "copy")
    empty.folder.mkdir()
    empty.git("init", "-q", "-b", "main")
    done = empty.latest()
    assert (done.result, list(done.changes)) == (True, ["new"])
    empty.again()


def test_keys_and_user_reach_git() -> None:
    """`identity` is the key that ssh uses, and a password in the URL is masked from then on."""
    fake = FakeConnection(files={"/root/key": b"k"})
    fake.on_run("git ls-remote *", stdout=b"0123456789\tHEAD\n")
    ctx = context(fake, test=True)
    url = "https://me:pa55word@host/x.git"
    state("git.latest", ctx, url, target="/x", identity="/root/key", user="deploy")
    command = fake.commands[0]
    assert command.user == "deploy"
    assert (command.env or {})["GIT_SSH_COMMAND"] == "ssh -o BatchMode=yes -o IdentitiesOnly=yes -i /root/key"
    assert "pa55word" not in ctx.masker.text(url)


def test_a_revision_is_fetched_and_not_checked_out(remote: Remote) -> None:
    """With `update_head: false` the commit comes, and what is checked out stays."""
    first = remote.git("rev-parse", "HEAD")
    remote.latest()
    second = remote.commit("two")
    planned = remote.latest(test=True, update_head=False)
    assert (planned.result, planned.changes) == (None, {"fetched": second})
    done = remote.latest(update_head=False)
    assert (done.result, done.changes) == (True, {"fetched": second})
    assert (remote.head(), remote.git("cat-file", "-t", second, at=remote.target)) == (
        (first, "main"), "commit",
    )  # fmt: skip
    again = remote.latest(update_head=False)
    assert (again.result, again.changes) == (True, {})
    assert f"HEAD ({first[:7]}) was left, and is not remote HEAD ({second[:7]})" in again.comment


def test_tags_that_the_remote_has_no_longer(remote: Remote) -> None:
    """A fetch deletes them, unless `sync_tags` is false."""
    remote.git("tag", "old")
    remote.latest()
    remote.git("tag", "-d", "old")
    remote.commit("two")
    assert "deleted_tags" not in remote.latest(sync_tags=False).changes
    remote.commit("three")
    assert remote.latest().changes["deleted_tags"] == ["old"]
    assert remote.git("tag", "--list", at=remote.target) == ""
    remote.again()


def test_only_some_branches_and_tags_are_fetched(remote: Remote) -> None:
    """`refspec_branch` and `refspec_tag` say which."""
    remote.latest()
    second = remote.commit("two")
    for name in ("aside", "v1", "w1"):
        remote.git("branch" if name == "aside" else "tag", name)
    remote.latest(rev="main", refspec_branch="main", refspec_tag="v*")
    assert remote.head() == (second, "main")
    assert remote.git("tag", "--list", at=remote.target) == "v1"
    assert "aside" not in remote.git("branch", "-r", at=remote.target)


@pytest.mark.parametrize("kind", ["bare", "mirror"])
def test_a_repository_without_a_working_copy(remote: Remote, kind: str) -> None:
    """It is cloned and follows its remote; a mirror loses what the remote has lost."""
    planned = remote.latest(test=True, **{kind: True})
    done = remote.latest(**{kind: True})
    assert (planned.result, planned.changes) == (None, done.changes)
    assert done.comment.endswith(
        f"cloned to {remote.target} as {'mirror' if kind == 'mirror' else 'bare repository'}"
    )
    remote.again(**{kind: True})
    first = remote.git("rev-parse", "HEAD")
    second = remote.commit("two")
    remote.git("branch", "aside", first)
    planned = remote.latest(test=True, **{kind: True})
    done = remote.latest(**{kind: True})
    assert done.changes == planned.changes == {
        "refs": {
            "refs/heads/aside": {"old": None, "new": first},
            "refs/heads/main": {"old": first, "new": second},
        }
    }  # fmt: skip
    assert remote.head() == (second, "main")
    remote.again(**{kind: True})
    remote.git("branch", "-D", "aside")
    gone = remote.latest(**{kind: True}).changes
    assert gone == ({"refs": {"refs/heads/aside": {"old": first, "new": None}}} if kind == "mirror" else {})
    assert "not compatible" in remote.latest(rev="main", **{kind: True}).comment


def test_a_login_is_for_https(remote: Remote) -> None:
    """A login for a folder is refused."""
    assert "https://" in remote.latest(https_user="u", https_pass="p").comment
