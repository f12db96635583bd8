"""Repositories without a working copy: bare, with a remote's branches and tags, or a mirror of all refs.

Unlike Salt, which fetches into `refs/remotes`, a bare repository's own branches are updated.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn
from ensue.library.states.git.login import password_of

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap
    from ensue.library.states.git.repository import WorkingCopy
    from ensue.library.states.git.update import LatestArguments


async def is_bare(repository: WorkingCopy) -> bool:
    """Return whether a folder is a repository without a working copy."""
    return await repository.ctx.connection.stat(posixpath.join(repository.path, "refs")) is not None


async def updated_bare(
    repository: WorkingCopy, wish: LatestArguments, *, name: str, test: bool
) -> StateReturn:
    """Update a bare repository or a mirror from its remote.

    Args:
        repository: the repository.
        wish: the parsed arguments.
        name: URL of the remote, as in the SLS.
        test: whether this is a plan.

    Returns:
        `changes` has `refs`: `old` and `new` by ref.
    """
    path = repository.path
    changes = await _differences(repository, wish)
    if not changes:
        comment = f"Repository {path} is up-to-date"
        return await _returned(repository, wish, name, {}, comment)
    shown: DataMap = {"refs": changes}
    if test:
        return StateReturn.planned(name, f"Bare repository at {path} would be fetched", shown)
    specs = ["+refs/*:refs/*"] if wish.kind == "mirror" else ["refs/heads/*:refs/heads/*"]
    if wish.kind != "mirror" and wish.fetch_tags:
        specs.append("+refs/tags/*:refs/tags/*")
    words = [*(["--force"] if wish.force_fetch else []), *(["--prune"] if wish.kind == "mirror" else [])]
    await repository.must("Fetch failed", "fetch", *words, wish.url, *specs)
    comment = f"Bare repository at {path} was fetched, resulting in updated refs"
    return await _returned(repository, wish, name, shown, comment)


async def _returned(
    repository: WorkingCopy, wish: LatestArguments, name: str, changes: DataMap, comment: str
) -> StateReturn:
    at = await repository.position()
    return StateReturn.changed(
        name,
        comment,
        changes,
        {"path": repository.path, "url": wish.url, "revision": at.commit, "branch": at.branch},
        sensitive=("url",) if password_of(wish.url) else (),
    )


async def _differences(repository: WorkingCopy, wish: LatestArguments) -> DataMap:
    """Return the refs that differ from the remote's, with old and new commit."""
    listed = await repository.must("Failed to check remote refs", "ls-remote", "--", wish.url)
    theirs = {ref: commit for ref, commit in _refs(listed).items() if _is_wanted(ref, wish)}
    own = _refs((await repository.run("show-ref")).stdout.decode("utf-8", "replace"))
    gone = own.keys() - theirs.keys() if wish.kind == "mirror" else set[str]()
    return {
        ref: {"old": own.get(ref), "new": theirs.get(ref)}
        for ref in sorted(theirs.keys() | gone)
        if own.get(ref) != theirs.get(ref)
    }


def _refs(listed: str) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in listed.splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2 and not pair[1].endswith("^{}")}  # noqa: PLR2004


def _is_wanted(ref: str, wish: LatestArguments) -> bool:
    if wish.kind == "mirror":
        return ref.startswith("refs/")
    return ref.startswith("refs/heads/") or (wish.fetch_tags and ref.startswith("refs/tags/"))
