"""`git.latest`: a working copy that follows a revision of the remote.

Source: Salt's state module `git`, 3008: the conditions for changes, `changes` and comments.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Literal

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.git.bare import is_bare, updated_bare
from ensue.library.states.git.login import password_of, with_login
from ensue.library.states.git.repository import Position, RemoteRevision, WorkingCopy
from ensue.library.states.git.update import LatestArguments, apply_update, plan_update, set_upstream

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def latest(
    ctx: StateContext,
    name: str,
    target: str,
    *,
    rev: str = "HEAD",
    branch: str | None = None,
    remote: str = "origin",
    user: str | None = None,
    identity: str | list[str] | None = None,
    depth: int | None = None,
    force_reset: bool | Literal["remote-changes"] = False,
    force_clone: bool = False,
    force_checkout: bool = False,
    force_fetch: bool = False,
    fetch_tags: bool = True,
    submodules: bool = False,
    update_head: bool = True,
    bare: bool = False,
    mirror: bool = False,
    sync_tags: bool = True,
    refspec_branch: str = "*",
    refspec_tag: str = "*",
    https_user: str | None = None,
    https_pass: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    output_encoding: str | None = None,
) -> StateReturn:
    """Clone a repository, or update its working copy to the revision of the remote.

    Args:
        rev: branch, tag or commit of the remote; `HEAD` is that of the remote.
        branch: the local branch; by default the one that is checked out, or that a clone checks out.
        remote: name of the remote in the working copy.
        depth: number of commits to clone; requires that `rev` is a branch or tag.
        force_reset: discard local commits that the remote does not have, and uncommitted changes. With
            `remote-changes`, the latter only if the remote has something new.
        force_clone: replace a folder that is not a working copy.
        force_checkout: discard uncommitted changes when another branch is checked out.
        force_fetch: also fetch updates that are not a fast-forward.
        fetch_tags: also fetch tags.
        submodules: update submodules.
        update_head: if false, only fetch the revision and leave what is checked out.
        bare: clone a repository without a working copy.
        mirror: clone a bare repository with exactly the refs of the remote.
        sync_tags: when tags are fetched, delete those that the remote does not have.
        refspec_branch: the branches to fetch, a name or a pattern.
        refspec_tag: the tags to fetch, a name or a pattern.

    Example:
        https://example.com/shop.git:
          git.latest:
            - target: /srv/shop
            - rev: main
            - user: deploy

    Returns:
        `changes` has `revision` (`old`, `new`), `branch`, `url`; `new` for a clone; `forced update`,
        `forced clone`; `fetched` without `update_head`; `deleted_tags`; `refs` of a bare repository.
        `new_state` has `path url revision branch`.

    Raises:
        StateFailedError: the arguments are invalid, git failed, or something would have to be forced.
    """
    if not target.startswith("/"):
        raise StateFailedError(f"target '{target}' is not an absolute path")
    is_bare_one = bare or mirror
    if is_bare_one and str(rev) != "HEAD":
        raise StateFailedError("'rev' is not compatible with the 'mirror' and 'bare' arguments")
    url = with_login(ctx, name, https_user, https_pass)
    repository = WorkingCopy(
        ctx=ctx,
        path=posixpath.normpath(target),
        user=None if user is None else str(user),
        identities=await _identities(ctx, identity),
    )
    revision = await repository.remote_revision(url, str(rev), remote)
    if depth is not None and (revision is None or revision.kind == "commit"):
        raise StateFailedError(
            "When 'depth' is used, 'rev' must be set to the name of a branch or tag on the remote repository"
        )
    wish = LatestArguments(
        url=url,
        rev=str(rev),
        branch=branch,
        remote=remote,
        depth=depth,
        force_reset=force_reset,
        force_checkout=force_checkout,
        force_fetch=force_fetch,
        fetch_tags=fetch_tags,
        submodules=submodules,
        update_head=update_head,
        sync_tags=sync_tags,
        refspec_branch=refspec_branch,
        refspec_tag=refspec_tag,
        kind="mirror" if mirror else "bare" if bare else "",
    )
    if is_bare_one:
        if await is_bare(repository):
            return await updated_bare(repository, wish, name=name, test=ctx.test)
        return await _cloned(repository, wish, None, name=name, force=force_clone)
    if await repository.is_there():
        return await _updated(repository, wish, revision, name=name, test=ctx.test)
    return await _cloned(repository, wish, revision, name=name, force=force_clone)


async def _updated(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision | None, *, name: str, test: bool
) -> StateReturn:
    before = await repository.position()
    if revision is None:
        if before.commit is not None:
            raise StateFailedError(
                "Remote repository is empty, cannot update from a non-empty to an empty repository"
            )
        comment = f"Repository {repository.path} is up-to-date"
        state = _described(repository, wish.url, before)
        return StateReturn.unchanged(name, comment, state, sensitive=_sensitive(wish.url))
    plan = await plan_update(repository, wish, revision, before)
    old_secret = password_of(plan.old_url or "")
    if old_secret:
        repository.ctx.masker.add(old_secret)
    if not plan.steps:
        comment = f"Repository {repository.path} is up-to-date{plan.remark}"
        state = _described(repository, wish.url, before)
        return StateReturn.unchanged(name, comment, state, sensitive=_sensitive(wish.url))
    if test:
        return StateReturn.planned(name, _joined(plan.steps), plan.changes)
    done = await apply_update(repository, wish, revision, plan)
    state = await _state(repository, wish)
    return StateReturn.changed(
        name,
        _joined(done.comments),
        done.changes,
        state,
        old_state=_described(repository, plan.old_url, before),
        sensitive=_sensitive(wish.url),
    )


async def _cloned(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision | None, *, name: str, force: bool
) -> StateReturn:
    ctx, path = repository.ctx, repository.path
    there = await ctx.connection.stat(path, follow=True)
    if there and there.kind != "directory":
        raise StateFailedError(f"Target '{path}' exists and is not a directory")
    names = await ctx.connection.list_directory(path) if there else []
    changes: DataMap = {"new": f"{wish.url} => {path}"}
    before: DataMap = {"path": path, "exists": False}
    if names and not force:
        raise StateFailedError(
            f"Target '{path}' exists, is non-empty and is not a git repository. Set the 'force_clone' option "
            "to True to remove this directory's contents and proceed with cloning the remote repository"
        )
    if names:
        changes["forced clone"] = True
    if ctx.test:
        comment = f"Repository {wish.url} would be cloned to {path}"
        if names:
            comment = f"{comment}, in place of what is there (force_clone)"
        return StateReturn.planned(name, comment, changes, old_state=before)
    for entry in names:
        await ctx.connection.remove(posixpath.join(path, entry), recursive=True)
    shallow = ["--depth", str(wish.depth), "--branch", wish.rev] if wish.depth is not None else []
    shallow += [f"--{wish.kind}"] if wish.kind else []
    await repository.must(
        "Clone failed", "clone", "--origin", wish.remote, *shallow, "--", wish.url, path, is_inside=False
    )
    how = {"": "", "bare": " as bare repository", "mirror": " as mirror"}[wish.kind]
    comments = [f"{wish.url} cloned to {path}{how}"]
    if revision is not None:
        comments += await _put_in_place(repository, wish, revision)
        commit = await repository.commit_of("HEAD")
        changes["revision"] = {"old": None, "new": commit}
    state = await _state(repository, wish)
    return StateReturn.changed(
        name,
        _joined(comments),
        changes,
        state,
        old_state=before,
        sensitive=_sensitive(wish.url),
    )


async def _put_in_place(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision
) -> list[str]:
    """Check out the requested branch and revision in a new clone."""
    comments: list[str] = []
    fresh = await repository.position()
    if wish.branch and wish.branch != fresh.branch:
        await repository.must("Checkout failed", "checkout", "-B", wish.branch, revision.commit)
        comments.append(f"'{wish.branch}' was checked out, with {revision.shown} as a starting point")
    elif not revision.is_at(fresh.commit):
        await repository.must("Reset failed", "reset", "--hard", revision.commit)
        comments.append(f"Repository was reset to {revision.shown}")
    if revision.upstream:
        await set_upstream(repository, revision)
    if wish.submodules:
        await repository.must("Failed to update submodules", "submodule", "update", "--init", "--recursive")
    return comments


async def _identities(ctx: StateContext, identity: str | list[str] | None) -> tuple[str, ...]:
    paths = [identity] if isinstance(identity, str) else identity or []
    for path in paths:
        if not path.startswith("/"):
            raise StateFailedError(
                f"identity '{path}' is not an absolute path on the target; copy the key with file.managed"
            )
        if await ctx.connection.stat(path, follow=True) is None:
            raise StateFailedError(f"identity '{path}' does not exist.")
    return tuple(paths)


async def _state(repository: WorkingCopy, wish: LatestArguments) -> DataMap:
    return _described(repository, wish.url, await repository.position())


def _described(repository: WorkingCopy, url: str | None, at: Position) -> DataMap:
    return {"path": repository.path, "url": url, "revision": at.commit, "branch": at.branch}


def _sensitive(url: str) -> tuple[str, ...]:
    return ("url",) if password_of(url) else ()


def _joined(comments: list[str]) -> str:
    return ". ".join(comments) + ("." if len(comments) > 1 else "")
