"""Plans and applies the update of an existing working copy.

Local changes are lost only with `force_reset`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ensue.core.errors import StateFailedError
from ensue.library.states.git.repository import Position, RemoteRevision, WorkingCopy, short

if TYPE_CHECKING:
    from ensue.core.model.data import Data, DataMap


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestArguments:
    """The arguments of `git.latest` for an existing working copy."""

    url: str
    rev: str
    branch: str | None
    remote: str
    depth: int | None
    force_reset: bool | Literal["remote-changes"]
    force_checkout: bool
    force_fetch: bool
    fetch_tags: bool
    submodules: bool
    update_head: bool = True
    sync_tags: bool = True
    refspec_branch: str = "*"
    refspec_tag: str = "*"
    kind: Literal["", "bare", "mirror"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePlan:
    """The planned update.

    Args:
        before: position of the working copy.
        old_url: URL of the remote in the working copy, None if it has no such remote.
        base: commit of the requested branch, None if the branch does not exist.
        has_changes: whether there are uncommitted changes.
        steps: planned steps, one sentence each; empty if there is nothing to do.
        changes: planned changes.
        remark: text to add to the comment if nothing is done.
    """

    before: Position
    old_url: str | None
    base: str | None
    has_changes: bool
    steps: list[str]
    changes: DataMap
    remark: str = ""


@dataclass(slots=True, kw_only=True)
class Done:
    """Collects comments and changes while the update is applied."""

    comments: list[str] = field(default_factory=list[str])
    changes: DataMap = field(default_factory=dict[str, "Data"])


async def plan_update(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision, before: Position
) -> UpdatePlan:
    """Compare a working copy with the request, without fetching.

    Args:
        repository: the working copy.
        wish: the parsed arguments.
        revision: the remote's revision.
        before: position of the working copy.

    Raises:
        StateFailedError: local changes would be lost, and `force_reset` does not allow that.
    """
    old_url = await _url_of(repository, wish.remote)
    if not wish.update_head:
        return await _plan_fetch(repository, wish, revision, before, old_url)
    switches = bool(wish.branch) and wish.branch != before.branch
    base = await repository.commit_of(f"refs/heads/{wish.branch}") if switches else before.commit
    has_changes = await repository.has_local_changes()
    is_current = revision.is_at(base)
    steps: list[str] = []
    changes: DataMap = {}
    if old_url != wish.url:
        steps.append(f"Remote '{wish.remote}' would be set to {wish.url}")
        changes["url"] = {"old": old_url, "new": wish.url}
    if switches:
        steps.append(f"'{wish.branch}' would be checked out")
        changes["branch"] = {"old": before.branch, "new": wish.branch}
    if not is_current:
        steps.append(f"Repository would be updated from {short(before.commit)} to {revision.shown}")
    if revision.commit != before.commit and not revision.is_at(before.commit):
        changes["revision"] = {"old": before.commit, "new": revision.commit}
    discards = has_changes and (wish.force_reset is True or (bool(wish.force_reset) and not is_current))
    if has_changes and not discards and not is_current:
        raise StateFailedError(_refusal(revision, "there are uncommitted changes", " (or 'remote-changes')"))
    if discards:
        steps.append("Uncommitted changes would be discarded")
    if discards or await _is_forced(repository, wish, revision, base):
        changes["forced update"] = True
    remark = ""
    if has_changes:
        remark = ", but with uncommitted changes. Set 'force_reset' to True to purge uncommitted changes."
    return UpdatePlan(
        before=before,
        old_url=old_url,
        base=base,
        has_changes=discards,
        steps=steps,
        changes=changes,
        remark=remark,
    )


async def _plan_fetch(
    repository: WorkingCopy,
    wish: LatestArguments,
    revision: RemoteRevision,
    before: Position,
    old_url: str | None,
) -> UpdatePlan:
    """Plan an update without `update_head`: set the remote's URL and fetch its revision."""
    steps: list[str] = []
    changes: DataMap = {}
    if old_url != wish.url:
        steps.append(f"Remote '{wish.remote}' would be set to {wish.url}")
        changes["url"] = {"old": old_url, "new": wish.url}
    if await repository.commit_of(revision.commit) is None:
        steps.append(f"Remote '{wish.remote}' would be fetched")
        changes["fetched"] = revision.commit
    remark = ""
    if not revision.is_at(before.commit):
        remark = (
            f" with update_head=False: HEAD ({short(before.commit)}) was left, and is not {revision.shown}"
        )
    return UpdatePlan(
        before=before,
        old_url=old_url,
        base=None,
        has_changes=False,
        steps=steps,
        changes=changes,
        remark=remark,
    )


async def _url_of(repository: WorkingCopy, remote: str) -> str | None:
    got = await repository.run("remote", "get-url", remote)
    return got.stdout.decode("utf-8", "replace").strip() if got.returncode == 0 else None


async def apply_update(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision, plan: UpdatePlan
) -> Done:
    """Apply a planned update.

    Args:
        repository: the working copy.
        wish: the parsed arguments.
        revision: the remote's revision.
        plan: the plan.

    Raises:
        StateFailedError: git failed, or local changes would be lost and `force_reset` does not allow that.
    """
    done = Done()
    if plan.old_url != wish.url:
        verb = "add" if plan.old_url is None else "set-url"
        await repository.must("Setting the remote failed", "remote", verb, wish.remote, wish.url)
        done.comments.append(f"Remote '{wish.remote}' set to {wish.url}")
        done.changes["url"] = {"old": plan.old_url, "new": wish.url}
    if wish.update_head or "fetched" in plan.changes:
        await _fetch(repository, wish, revision, done)
    if not wish.update_head:
        done.changes |= plan.changes
        done.comments.append(f"Remote '{wish.remote}' was fetched, and HEAD was left as it is")
        return done
    is_forced = plan.has_changes or await _is_forced(repository, wish, revision, plan.base)
    if is_forced:
        done.changes["forced update"] = True
    if plan.has_changes:
        await repository.must("Reset failed", "reset", "--hard")
        done.comments.append("Uncommitted changes were discarded")
    await _switch(repository, wish, revision, plan, done)
    await _move(repository, revision, done)
    if revision.upstream:
        await set_upstream(repository, revision)
    if wish.submodules:
        await repository.must("Failed to update submodules", "submodule", "update", "--init", "--recursive")
    commit = await repository.commit_of("HEAD")
    if commit != plan.before.commit:
        done.changes["revision"] = {"old": plan.before.commit, "new": commit}
    return done


async def set_upstream(repository: WorkingCopy, revision: RemoteRevision) -> None:
    """Set the remote branch as upstream of the branch that is checked out."""
    now = await repository.position()
    if now.branch and await repository.commit_of(f"refs/remotes/{revision.upstream}"):
        await repository.must("Tracking failed", "branch", "--set-upstream-to", revision.upstream)


async def _fetch(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision, done: Done
) -> None:
    words = ["--force"] if wish.force_fetch else []
    if wish.refspec_tag != "*":
        words.append("--no-tags")  # otherwise git also fetches all tags of the branches
    elif wish.fetch_tags:
        words.append("--tags")
    words += ["--depth", str(wish.depth)] if wish.depth is not None else []
    failed = (
        "Fetch failed. Set 'force_fetch' to True to force the fetch if the failure was due to not being able "
    )
    what = f"{failed}to fast-forward. Output of the fetch"
    await repository.must(what, "fetch", *words, wish.remote, *_refspecs(wish))
    if await repository.commit_of(revision.commit) is None:
        # A shallow fetch of other branches may not contain it.
        await repository.must("Fetch failed", "fetch", *words, wish.remote, wish.rev)
    if await repository.commit_of(revision.commit) is None:
        raise StateFailedError(f"Fetch did not successfully retrieve rev '{wish.rev}' from {wish.url}")
    if wish.fetch_tags and wish.sync_tags:
        await _remove_tags(repository, wish, done)


def _refspecs(wish: LatestArguments) -> list[str]:
    """Return the refspecs of the branches and tags to fetch, if not all are."""
    specs: list[str] = []
    if wish.refspec_branch != "*":
        specs.append(f"refs/heads/{wish.refspec_branch}:refs/remotes/{wish.remote}/{wish.refspec_branch}")
    if wish.refspec_tag != "*":
        specs.append(f"+refs/tags/{wish.refspec_tag}:refs/tags/{wish.refspec_tag}")
        if wish.refspec_branch == "*":
            specs.append(f"refs/heads/*:refs/remotes/{wish.remote}/*")
    return specs


async def _remove_tags(repository: WorkingCopy, wish: LatestArguments, done: Done) -> None:
    """Delete the tags that the remote does not have."""
    own = (await repository.must("Listing tags failed", "tag", "--list")).splitlines()
    if not own:
        return
    listed = await repository.must("Failed to check remote refs", "ls-remote", "--tags", "--", wish.url)
    theirs = {line.partition("\trefs/tags/")[2].removesuffix("^{}") for line in listed.splitlines()}
    gone = sorted(set(own) - theirs)
    if gone:
        await repository.must("Deleting tags failed", "tag", "--delete", "--", *gone)
        done.changes["deleted_tags"] = [*gone]
        done.comments.append(f"The following tags were removed from the local checkout: {', '.join(gone)}")


async def _switch(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision, plan: UpdatePlan, done: Done
) -> None:
    if not wish.branch or wish.branch == plan.before.branch:
        return
    words = ["-f"] if wish.force_checkout else []
    new = [] if plan.base else ["-b"]
    start = [] if plan.base else [revision.commit]
    await repository.must("Checkout failed", "checkout", *words, *new, wish.branch, *start, "--")
    done.changes["branch"] = {"old": plan.before.branch, "new": wish.branch}
    what = f"'{wish.branch}' was checked out"
    done.comments.append(what if plan.base else f"{what}, with {revision.shown} as a starting point")


async def _move(repository: WorkingCopy, revision: RemoteRevision, done: Done) -> None:
    """Move the branch to the commit, by fast-forward if possible."""
    at = await repository.commit_of("HEAD")
    if revision.is_at(at):
        return
    if at is None or not await repository.succeeds("merge-base", "--is-ancestor", "HEAD", revision.commit):
        await repository.must("Reset failed", "reset", "--hard", revision.commit)
        done.comments.append(f"Repository was hard-reset to {revision.shown}")
        return
    await repository.must("Merge failed", "merge", "--ff-only", revision.commit)
    done.comments.append(f"Repository was fast-forwarded to {revision.shown}")


async def _is_forced(
    repository: WorkingCopy, wish: LatestArguments, revision: RemoteRevision, base: str | None
) -> bool:
    """Return whether a fast-forward is impossible; unknown commits are checked after the fetch.

    Raises:
        StateFailedError: it is impossible, and `force_reset` does not allow more.
    """
    if base is None or revision.is_at(base) or await repository.commit_of(revision.commit) is None:
        return False
    if await repository.succeeds("merge-base", "--is-ancestor", base, revision.commit):
        return False
    if not wish.force_reset:
        raise StateFailedError(_refusal(revision, "this is not a fast-forward merge", ""))
    return True


def _refusal(revision: RemoteRevision, why: str, more: str) -> str:
    return (
        f"Repository would be updated to {revision.shown}, but {why}. "
        f"Set 'force_reset' to True{more} to force this update."
    )
