"""Runs git on a target, and reads the refs of a remote and the position of a working copy.

Git runs without a shell, in English, and never prompts for a password.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import FunctionContext

_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "LANGUAGE": "C", "GIT_TERMINAL_PROMPT": "0"}
_NOT_FOUND: Final = 127
_SHORT: Final = 7
_COMMIT: Final = re.compile(r"[0-9A-Fa-f]{4,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteRevision:
    """A revision of a remote.

    Args:
        kind: how the SLS names it.
        commit: its id; shortened if it is so in the SLS.
        upstream: the remote branch, `origin/main`; empty if it is not a branch.
        shown: its name in comments.
    """

    kind: Literal["branch", "tag", "commit"]
    commit: str
    upstream: str
    shown: str

    def is_at(self, commit: str | None) -> bool:
        """Return whether a commit is this revision."""
        return commit is not None and commit.startswith(self.commit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The position of a working copy.

    Args:
        commit: the commit, None if there are no commits yet.
        branch: the branch, empty if none is checked out.
    """

    commit: str | None
    branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingCopy:
    """A folder on a target that is or will be a working copy.

    Args:
        path: the folder.
        user: user who runs git; None for the connection's user.
        identities: private keys on the target, for ssh.
    """

    ctx: FunctionContext
    path: str
    user: str | None
    identities: tuple[str, ...]

    async def run(self, *words: str, is_inside: bool = True) -> Completed:
        """Run git and return the result, even if it fails.

        Args:
            *words: the arguments.
            is_inside: run it in the working copy.

        Raises:
            StateFailedError: the target has no git.
        """
        inside = ("-C", self.path) if is_inside else ()
        env = dict(_ENVIRONMENT)
        if self.identities:
            keys = " ".join(f"-i {shlex.quote(path)}" for path in self.identities)
            env["GIT_SSH_COMMAND"] = f"ssh -o BatchMode=yes -o IdentitiesOnly=yes {keys}"
        command = Command(argv=["git", *inside, *words], env=env, user=self.user, cwd="/")
        done = await self.ctx.connection.run(command)
        if done.returncode == _NOT_FOUND:
            raise StateFailedError(f"git.latest: {self.ctx.srn} has no program `git`; install it there")
        return done

    async def must(self, what: str, *words: str, is_inside: bool = True) -> str:
        """Run git and return its output.

        Raises:
            StateFailedError: git failed; the text has `what` and git's message.
        """
        done = await self.run(*words, is_inside=is_inside)
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip()
            raise StateFailedError(f"{what}: {message or f'git ended with {done.returncode}'}")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    async def succeeds(self, *words: str) -> bool:
        """Return whether git exits with 0."""
        return (await self.run(*words)).returncode == 0

    async def is_there(self) -> bool:
        """Return whether the folder is a working copy."""
        return await self.ctx.connection.stat(posixpath.join(self.path, ".git")) is not None

    async def position(self) -> Position:
        """Return the position of the working copy."""
        commit = await self.commit_of("HEAD")
        branch = await self.run("symbolic-ref", "--short", "-q", "HEAD")
        return Position(commit=commit, branch=branch.stdout.decode("utf-8", "replace").strip())

    async def commit_of(self, revision: str) -> str | None:
        """Return the commit of a revision in the working copy, None if there is no such revision."""
        done = await self.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return done.stdout.decode().strip() or None

    async def has_local_changes(self) -> bool:
        """Return whether tracked files have uncommitted changes; as in Salt, untracked files do not count."""
        return (await self.run("diff", "--quiet", "HEAD", "--")).returncode == 1

    async def remote_revision(self, url: str, rev: str, remote: str) -> RemoteRevision | None:
        """Return a revision of a remote; None for the HEAD of an empty remote.

        Raises:
            StateFailedError: the remote cannot be reached, or does not have the revision.
        """
        listed = await self.must("Failed to check remote refs", "ls-remote", "--", url, is_inside=False)
        refs = {ref: commit for commit, _, ref in (line.partition("\t") for line in listed.splitlines())}
        if rev == "HEAD":
            head = refs.get("HEAD")
            return _revision("commit", head, "", "remote HEAD") if head else None
        if f"refs/heads/{rev}" in refs:
            upstream = f"{remote}/{rev}"
            return _revision("branch", refs[f"refs/heads/{rev}"], upstream, upstream)
        tagged = refs.get(f"refs/tags/{rev}^{{}}") or refs.get(f"refs/tags/{rev}")
        if tagged:
            return _revision("tag", tagged, "", rev)
        if _COMMIT.fullmatch(rev):
            return RemoteRevision(kind="commit", commit=rev.lower(), upstream="", shown=rev[:_SHORT].lower())
        raise StateFailedError(f"No revision matching '{rev}' exists in the remote repository")


def short(commit: str | None) -> str:
    """Return the short form of a commit id."""
    return commit[:_SHORT] if commit else "nothing"


def _revision(
    kind: Literal["branch", "tag", "commit"], commit: str, upstream: str, name: str
) -> RemoteRevision:
    return RemoteRevision(kind=kind, commit=commit, upstream=upstream, shown=f"{name} ({short(commit)})")
