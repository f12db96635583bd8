"""`file.cached` and `file.not_cached`: keep a copy of a source, or remove it.

The copy is on the managing minion, whatever the target. Functions that take a `source` use the copy instead
of a download if it has the requested checksum.

Source: Salt's state module `file`, 3008: changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ensue.core.contracts.content import sha256_of
from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.hashes import ExpectedHash
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks
from ensue.library.states.file.source_cache import copy_of, forget, keep, opened
from ensue.library.states.file.sources import ContentSource, hash_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_KIND: Final = "sha256"


@also_takes(*KNOWN, outdated=OUTDATED)
async def cached(
    ctx: StateContext,
    name: str,
    source_hash: str = "",
    source_hash_name: str | None = None,
    skip_verify: bool = False,
    saltenv: str = "base",
    **kwargs: Any,
) -> StateReturn:
    """Keep a copy of a source on the managing minion; for a path on the target, only check it.

    Args:
        name: `salt://…`, a URL, or an absolute path on the target.
        source_hash: expected checksum.
        saltenv: environment of a `salt://` source that names none.

    Example:
        https://example.com/tool.tar.gz:
          file.cached:
            - source_hash: https://example.com/tool.tar.gz.sha256

    Returns:
        `changes` has `hash`, `old` and `new`; `new_state` has `name path sha256`.

    Raises:
        StateFailedError: the source does not exist, its checksum differs, or one is required and not given.
    """
    warnings = remarks("file.cached", kwargs)
    _mask_password(ctx, name)
    source = ContentSource(location=name, hash_text=source_hash)
    if source.is_remote and not source_hash and not skip_verify:
        raise StateFailedError(
            f"Unable to verify upstream hash of source file {name}, please set source_hash or set "
            "skip_verify or use_etag to True"
        )
    checked = bool(source_hash) and not skip_verify
    expected = await hash_of(ctx, source, name=name, hash_name=source_hash_name) if source_hash else None
    if "://" not in name or name.startswith("file://"):
        return await _on_target(ctx, name, expected if checked else None)
    path = copy_of(ctx, name, saltenv)
    before = await opened(path)
    if before is not None and expected and checked and await expected.of_any(before) == expected.digest:
        comment = f"File is already cached to {path} with hash {expected.digest}"
        new_state = _state(name, path, sha256_of(before))
        return StateReturn.unchanged(name, comment, new_state, warnings=warnings)
    old_state = _state(name, path, None if before is None else sha256_of(before))
    if ctx.test and source.is_remote:
        reason = "" if before is None else "Hashes don't match.\n" if expected else "No hash found. "
        comment = f"{reason}File will be cached: {name}"
        return StateReturn.planned(name, comment, old_state=old_state, warnings=warnings)
    content = await ctx.files.open(name, saltenv=saltenv)
    shown = expected or ExpectedHash(kind=_KIND, digest="")
    digest = await shown.of_any(content)
    if expected and checked:
        expected.check_digest(digest, name)
    sha256 = sha256_of(content)
    changes: DataMap = {}
    if sha256 != old_state.get("sha256"):
        changes = {"hash": {"old": None if before is None else await shown.of_any(before), "new": digest}}
    if ctx.test and changes:
        comment = f"File will be cached: {name}"
        return StateReturn.planned(name, comment, changes, old_state=old_state, warnings=warnings)
    if changes:
        await keep(path, content, cache_dir=ctx.cache_dir)
    already = f"File is already cached to {path} with hash {digest}"
    return StateReturn.changed(
        name,
        already if checked else f"File is cached to {path}",
        changes,
        _state(name, path, sha256),
        old_state=old_state if changes else None,
        warnings=warnings,
    )


async def not_cached(ctx: StateContext, name: str, saltenv: str = "base") -> StateReturn:
    """Remove the copy of a source from the managing minion.

    Args:
        name: `salt://…` or a URL; a path is left alone.
        saltenv: environment of a `salt://` source that names none.

    Example:
        https://example.com/tool.tar.gz:
          file.not_cached

    Returns:
        `changes` has `deleted`; `new_state` has `name path sha256 exists`.
    """
    if "://" not in name or name.startswith("file://"):
        local = name.removeprefix("file://")
        comment = f"File {local} is a local path, no action taken"
        return StateReturn.unchanged(name, comment, _state(name, local, None))
    _mask_password(ctx, name)
    path = copy_of(ctx, name, saltenv)
    before = await opened(path)
    new_state = _state(name, path, None)
    if before is None:
        return StateReturn.unchanged(name, f"{name} is not cached", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{path} is set to be deleted", {"deleted": True})
    await forget(path)
    return StateReturn.changed(
        name,
        f"{path} was deleted",
        {"deleted": True},
        new_state,
        old_state=_state(name, path, sha256_of(before)),
    )


async def _on_target(ctx: StateContext, name: str, expected: ExpectedHash | None) -> StateReturn:
    path = await target_path(ctx, name.removeprefix("file://"))
    status = await ctx.connection.stat(path, follow=True)
    # In a plan, an earlier state may be about to create the file.
    failed = None if ctx.test else False
    if status is None:
        return StateReturn(name=name, result=failed, comment=f"File {path} is not present on the minion")
    new_state = _state(name, path, await ctx.connection.checksum(path))
    if expected is None:
        return StateReturn.unchanged(name, f"File {path} is present on the minion", new_state)
    actual = await ctx.connection.checksum(path, expected.kind)
    if actual != expected.digest:
        comment = (
            f"File {path} is present on the minion, but the hash ({actual}) does not match the specified "
            f"hash ({expected.digest})"
        )
        return StateReturn(name=name, result=failed, comment=comment)
    comment = f"File {path} is present on the minion and has hash {actual}"
    return StateReturn.unchanged(name, comment, new_state)


def _mask_password(ctx: StateContext, source: str) -> None:
    """Register the password of a URL as a secret."""
    try:
        password = urlsplit(source).password
    except ValueError:
        raise StateFailedError("Only URLs or local file paths are valid input") from None
    if password:
        ctx.masker.add(password)


def _state(name: str, path: object, sha256: str | None) -> DataMap:
    """Describe a copy; a `sha256` of None means that there is none."""
    state: DataMap = {"name": name, "path": str(path)}
    return state | ({"exists": False} if sha256 is None else {"sha256": sha256})
