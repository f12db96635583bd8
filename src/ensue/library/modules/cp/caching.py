"""Caches sources on the target, for programs that require a path.

On this machine a file of the file roots is not copied; its own path is returned, as `salt-call --local` does.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.content import HASH_TYPES, digest_of, sha256_of
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.srn import MINION_TYPE
from ensue.library.modules.cp.sources import SALT, opened, relative_path

if TYPE_CHECKING:
    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

FOLDER: Final = "/var/cache/ensue"
"""The folder of the copies on a target that is not this machine."""

_MODE: Final = 0o644


async def cache_file(
    ctx: FunctionContext, path: str, saltenv: str = "base", source_hash: str | None = None, **kwargs: Any
) -> str | bool:
    """Copy a source to the target, and return the path of the copy, False if the source does not exist.

    Args:
        source_hash: its checksum as hex (MD5, SHA-1 or SHA-2); a source with another one is not cached.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' cp.cache_file salt://www/index.html

    Raises:
        StateFailedError: the source leads out of the file roots or the cache.
    """
    if (own := _own_path(ctx, path, saltenv)) and not source_hash:
        return own
    content = await opened(ctx, path, saltenv)
    if content is None or (source_hash and not await _has_hash(content, source_hash)):
        return False
    if own:
        return own
    place = cached_path(ctx, path, saltenv)
    if await ctx.connection.checksum(place) != sha256_of(content):
        await ctx.connection.make_directory(posixpath.dirname(place), parents=True)
        await ctx.connection.write(place, content, mode=_MODE)
    return place


async def cache_files(
    ctx: FunctionContext, paths: list[str] | str, saltenv: str = "base"
) -> list[str | bool]:
    """Copy several sources to the target, and return the paths of the copies.

    Args:
        paths: sources, `salt://…` or http(s).

    Example:
        ensue call '*' cp.cache_files '[salt://a, salt://b]'
    """
    listed = paths if is_list(paths) else str(paths).split(",")
    return [await cache_file(ctx, str(path), saltenv) for path in listed]


async def cache_dir(
    ctx: FunctionContext,
    path: str,
    saltenv: str = "base",
    include_empty: bool = False,  # only folders of files are created
    include_pat: str | None = None,
    exclude_pat: str | None = None,
) -> list[str | bool]:
    """Copy all files below a folder of the file roots to the target, and return the paths of the copies.

    Args:
        path: `salt://…`.
        include_empty: accepted as by Salt, without effect.
        include_pat: a glob, or `E@` and a regular expression, that paths below the folder must match.
        exclude_pat: a glob, or `E@` and a regular expression, that paths below the folder must not match.

    Example:
        ensue call '*' cp.cache_dir salt://www
    """
    base = path.rstrip("/")
    return [
        await cache_file(ctx, f"{base}/{below}", saltenv)
        for below in ctx.files.list_tree(path, saltenv=saltenv)
        if is_wanted(below, include_pat, exclude_pat)
    ]


async def is_cached(ctx: FunctionContext, path: str, saltenv: str = "base") -> str:
    """Return the path of the cached copy of a source on the target, empty if there is none.

    Example:
        ensue call '*' cp.is_cached salt://www/index.html
    """
    if own := _own_path(ctx, path, saltenv):
        return own
    place = cached_path(ctx, path, saltenv)
    file_stat = await ctx.connection.stat(place, follow=True)
    return place if file_stat is not None and file_stat.kind == "file" else ""


async def hash_file(ctx: FunctionContext, path: str, saltenv: str = "base") -> DataMap | str:
    """Return the checksum of a source as `hsum` and `hash_type`, empty if the source does not exist.

    Example:
        ensue call '*' cp.hash_file salt://www/index.html
    """
    content = await opened(ctx, path, saltenv)
    return "" if content is None else {"hsum": sha256_of(content), "hash_type": "sha256"}


def cached_path(ctx: FunctionContext, source: str, saltenv: str) -> str:
    """Return the path that the copy of a source has or would have on the target."""
    folder = str(ctx.cache_dir / "cp") if _is_here(ctx) else FOLDER
    return posixpath.join(folder, relative_path(source, saltenv))


def is_wanted(path: str, include: str | None, exclude: str | None) -> bool:
    """Return whether a path is selected by globs, or by `E@` and a regular expression."""
    return (not include or _fits(path, include)) and not (exclude and _fits(path, exclude))


def _fits(path: str, pattern: str) -> bool:
    import re
    from fnmatch import fnmatchcase

    if not pattern.startswith("E@"):
        return fnmatchcase(path, pattern)
    try:
        return re.search(pattern.removeprefix("E@"), path) is not None
    except re.error as error:
        raise StateFailedError(f"{pattern!r} is not a regular expression: {error}") from None


def _own_path(ctx: FunctionContext, source: str, saltenv: str) -> str:
    """Return the path of an existing local source if the target is this machine, else an empty string."""
    local_path = ctx.files.local_path(source, saltenv=saltenv) if _is_here(ctx) else None
    return str(local_path) if local_path is not None and source.startswith((SALT, "/", "file://")) else ""


def _is_here(ctx: FunctionContext) -> bool:
    return ctx.srn.type == MINION_TYPE and ctx.config.get("root") in {None, "", "/"}


async def _has_hash(content: Content, expected: str) -> bool:
    hexadecimal = expected.rpartition("=")[2].strip().lower()
    name = HASH_TYPES.get(len(hexadecimal))
    return name is not None and await digest_of(content, name) == hexadecimal


OFFERED: Final = by_name(cache_dir, cache_file, cache_files, hash_file, is_cached)
