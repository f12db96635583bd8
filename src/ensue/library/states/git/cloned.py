"""`git.cloned`: clones a repository once, and does not follow later changes of the remote.

Source: Salt's state module `git`, 3008: the conditions for changes, `changes` and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts
from ensue.library.states.git.login import with_login
from ensue.library.states.git.repository import WorkingCopy

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def cloned(
    ctx: StateContext,
    name: str,
    target: str,
    branch: str | None = None,
    user: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    identity: str | list[str] | None = None,
    https_user: str | None = None,
    https_pass: str | None = None,
    output_encoding: str | None = None,
) -> StateReturn:
    """Clone a repository, and check out a branch of it.

    Args:
        branch: the branch; by default that of the remote when cloning, and any branch later.

    Example:
        https://example.com/shop.git:
          git.cloned:
            - target: /srv/shop
            - branch: main

    Returns:
        `changes` has `new`, or `branch` (`old`, `new`).

    Raises:
        StateFailedError: git failed.
    """
    if not target.startswith("/"):
        return StateReturn.failed(name, "'target' path must be absolute")
    url = with_login(ctx, name, https_user, https_pass)
    keys = (identity,) if isinstance(identity, str) else tuple(identity or ())
    copy = WorkingCopy(ctx=ctx, path=target, user=user, identities=keys)
    with_branch = f" with branch '{branch}'" if branch else ""
    if await ctx.connection.stat(target, follow=True) is None:
        changes: DataMap = {"new": f"{name} => {target}"}
        if ctx.test:
            planned = StateReturn.planned(name, f"{name} would be cloned to {target}{with_branch}", changes)
            return await with_accounts(ctx.connection, planned, user=user)
        words = ["--branch", branch] if branch else []
        await copy.must("Clone failed", "clone", *words, "--", url, target, is_inside=False)
        comment = f"{name} cloned to {target}{with_branch}"
        return await _done(copy, name, changes, comment)
    if not await copy.is_there():
        raise StateFailedError(f"{target} exists and is not a working copy of git")
    now = (await copy.position()).branch
    if branch is None or now == branch:
        comment = f"Repository already exists at {target}"
        comment += f" and is checked out to branch '{branch}'" if branch else ""
        return await _done(copy, name, {}, comment)
    changes = {"branch": {"old": now, "new": branch}}
    if ctx.test:
        return StateReturn.planned(name, f"Branch would be changed to '{branch}'", changes)
    what = f"Failed to change branch to '{branch}'"
    if await copy.commit_of(f"refs/heads/{branch}"):
        await copy.must(what, "checkout", branch, "--")
    else:
        await copy.must(what, "checkout", "-b", branch, f"origin/{branch}", "--")
    return await _done(copy, name, changes, f"Branch changed to '{branch}'")


async def _done(copy: WorkingCopy, name: str, changes: DataMap, comment: str) -> StateReturn:
    position = await copy.position()
    new_state: DataMap = {
        "path": copy.path,
        "url": name,
        "revision": position.commit,
        "branch": position.branch,
    }
    sensitive = ("url",) if "://" in name and urlsplit(name).password else ()
    return StateReturn.changed(name, comment, changes, new_state, sensitive=sensitive)
