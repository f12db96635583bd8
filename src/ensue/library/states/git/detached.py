"""`git.detached`: a working copy at a given commit, without a branch.

Source: Salt's state module `git`, 3008: arguments, changes and comments.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.git.login import with_login
from ensue.library.states.git.repository import WorkingCopy

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_HASH: Final = re.compile(r"[0-9A-Fa-f]{4,40}")


class _DetachedArguments(msgspec.Struct, kw_only=True, frozen=True):
    """The parsed arguments of `git.detached`."""

    url: str
    rev: str
    remote: str
    force_clone: bool
    force_checkout: bool
    fetch_remote: bool
    hard_reset: bool
    submodules: bool

    @property
    def is_hash(self) -> bool:
        """Whether the revision is a commit id."""
        return bool(_HASH.fullmatch(self.rev))


async def detached(
    ctx: StateContext,
    name: str,
    rev: str,
    target: str,
    *,
    remote: str = "origin",
    user: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    force_clone: bool = False,
    force_checkout: bool = False,
    fetch_remote: bool = True,
    hard_reset: bool = False,
    submodules: bool = False,
    identity: str | list[str] | None = None,
    https_user: str | None = None,
    https_pass: str | None = None,
    output_encoding: str | None = None,
) -> StateReturn:
    """Check out a commit of a repository, without a branch.

    Args:
        rev: a commit, or a branch or tag of the remote.
        remote: name of the remote in the working copy.
        force_clone: replace the content of a folder that is not a working copy.
        force_checkout: discard uncommitted changes that prevent the checkout.
        fetch_remote: fetch from the remote; if false, only what was fetched before is used.
        hard_reset: first discard uncommitted changes.
        submodules: update submodules.

    Example:
        https://example.com/shop.git:
          git.detached:
            - rev: v2.1
            - target: /srv/shop

    Returns:
        `changes` has `HEAD` (`old`, `new`), and `forced clone`; `new_state` has `path url revision branch`.

    Raises:
        StateFailedError: git failed, the revision does not exist, or something would have to be forced.
    """
    if not target.startswith("/"):
        raise StateFailedError(f"Target '{target}' is not an absolute path")
    keys = (identity,) if isinstance(identity, str) else tuple(identity or ())
    if wrong := [key for key in keys if not key.startswith("/")]:
        raise StateFailedError(f"Identity '{wrong[0]}' is not an absolute path of the target")
    copy = WorkingCopy(ctx=ctx, path=posixpath.normpath(target), user=user, identities=keys)
    wish = _DetachedArguments(
        url=with_login(ctx, name, https_user, https_pass), rev=str(rev), remote=remote,
        force_clone=force_clone,
        force_checkout=force_checkout, fetch_remote=fetch_remote,
        hard_reset=hard_reset, submodules=submodules,
    )  # fmt: skip
    changes: DataMap = {}
    comments: list[str] = []
    is_there = await copy.is_there()
    before = await copy.commit_of("HEAD") if is_there else None
    if not is_there and (planned := await _clone(copy, wish, name, changes, comments)):
        return planned
    if is_there:
        commit, steps = await _wanted(copy, wish, comments, test=ctx.test)
    else:
        commit, steps = await _fetched(copy, wish), []
    resets = wish.hard_reset and is_there and await copy.has_local_changes()
    if ctx.test and (steps or resets or commit != before):
        return _planned(name, copy, commit, before, steps, resets=resets)
    if resets:
        await copy.must("Reset failed", "reset", "--hard", "HEAD")
        comments.append("Repository was reset to HEAD before checking out revision")
    if commit == before and is_there:
        comments.append("Already checked out at correct revision")
    else:
        force = ["--force"] if wish.force_checkout else []
        await copy.must("Checkout failed", "checkout", "--detach", *force, commit)
        comments.append(f"Commit ID {commit} was checked out at {copy.path}")
        changes["HEAD"] = {"old": before, "new": commit}
    if wish.submodules and not ctx.test:
        await copy.must("Failed to update submodules", "submodule", "update", "--init", "--recursive")
        comments.append("Submodules were updated")
    return await _done(copy, name, wish, changes, comments)


async def _clone(
    copy: WorkingCopy, wish: _DetachedArguments, name: str, changes: DataMap, comments: list[str]
) -> StateReturn | None:
    """Clone the repository, or in a plan return the comment."""
    ctx, path = copy.ctx, copy.path
    there = await ctx.connection.stat(path, follow=True)
    if there and there.kind != "directory":
        raise StateFailedError(f"Target '{path}' exists and is a regular file, cannot proceed")
    names = await ctx.connection.list_directory(path) if there else []
    if names and not wish.force_clone:
        raise StateFailedError(
            f"Target '{path}' exists, is non-empty and is not a git repository. Set the 'force_clone' option "
            "to True to remove this directory's contents and proceed with cloning the remote repository"
        )
    if names:
        changes["forced clone"] = True
    if ctx.test:
        comment = f"Repository {name} would be cloned to {path}"
        if names:
            comment += ", in place of what is there (force_clone)"
        return StateReturn.planned(name, comment, changes)
    for each in names:
        await ctx.connection.remove(posixpath.join(path, each), recursive=True)
    words = ("clone", "--no-checkout", "--origin", wish.remote, "--", wish.url, path)
    await copy.must("Clone failed", *words, is_inside=False)
    comments.append(f"{name} cloned to {path}")
    return None


async def _wanted(
    copy: WorkingCopy, wish: _DetachedArguments, comments: list[str], *, test: bool
) -> tuple[str, list[str]]:
    """Return the requested commit, fetched if necessary, and the steps for a plan."""
    if wish.is_hash and (commit := await copy.commit_of(wish.rev)):
        return commit, []
    steps: list[str] = []
    url = await copy.run("remote", "get-url", wish.remote)
    old = url.stdout.decode("utf-8", "replace").strip() if url.returncode == 0 else None
    if old != wish.url:
        steps.append(f"Remote {wish.remote} would be set")
        if not test:
            verb = "add" if old is None else "set-url"
            await copy.must("Failed to set the remote", "remote", verb, wish.remote, wish.url)
            comments.append(f"Remote {wish.remote} updated")
    if not wish.fetch_remote:
        return await _local(copy, wish), steps
    # First ask whether there is something to fetch, because a plan must not fetch.
    revision = await copy.remote_revision(wish.url, wish.rev, wish.remote)
    if revision and (commit := await copy.commit_of(revision.commit)):
        return commit, steps
    if test:
        return revision.commit if revision else "", [
            *steps,
            f"Repository remote {wish.remote} would be fetched",
        ]
    commit = await _fetched(copy, wish)
    comments.append(f"Remote {wish.remote} was fetched, resulting in updated refs")
    return commit, steps


async def _fetched(copy: WorkingCopy, wish: _DetachedArguments) -> str:
    """Fetch all branches and tags, and return the requested commit."""
    refs = (f"+refs/heads/*:refs/remotes/{wish.remote}/*", "+refs/tags/*:refs/tags/*")
    if wish.fetch_remote:
        await copy.must("Fetch failed", "fetch", "--force", wish.remote, *refs)
    return await _local(copy, wish)


async def _local(copy: WorkingCopy, wish: _DetachedArguments) -> str:
    """Return the commit of the requested revision, from what was fetched."""
    names = [f"refs/remotes/{wish.remote}/{wish.rev}", f"refs/tags/{wish.rev}"]
    for name in [wish.rev] if wish.is_hash else names:
        if commit := await copy.commit_of(name):
            return commit
    if wish.is_hash:
        for name in names:
            if commit := await copy.commit_of(name):
                return commit
    raise StateFailedError(f"Revision '{wish.rev}' does not exist")


def _planned(
    name: str, copy: WorkingCopy, commit: str, before: str | None, steps: list[str], *, resets: bool
) -> StateReturn:
    texts = [*steps]
    changes: DataMap = {}
    if resets:
        texts.append(f"Hard reset to HEAD would be performed on {copy.path}")
    if commit != before:
        texts.append(f"Commit ID {commit} would be checked out at {copy.path}")
        changes["HEAD"] = {"old": before, "new": commit}
    return StateReturn.planned(name, ". ".join(texts), changes)


async def _done(
    copy: WorkingCopy, name: str, wish: _DetachedArguments, changes: DataMap, comments: list[str]
) -> StateReturn:
    at = await copy.position()
    new_state: DataMap = {"path": copy.path, "url": wish.url, "revision": at.commit, "branch": at.branch}
    is_secret = "://" in wish.url and urlsplit(wish.url).password
    return StateReturn.changed(
        name, ". ".join(comments), changes, new_state, sensitive=("url",) if is_secret else ()
    )
