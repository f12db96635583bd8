"""Owner, mode, size, times and checksums: `stats`, `get_mode`, `get_hash` and related functions.

Args:
    follow_symlinks: describe the target of a symlink.
    form: the hash type (`sha256`, `md5`, …).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.content import HASH_TYPES
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import FileKind, FileStat
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_TYPES: Final[dict[FileKind, str]] = {
    "file": "file",
    "directory": "dir",
    "symlink": "link",
    "block": "block",
    "character": "char",
    "fifo": "pipe",
    "socket": "socket",
}


async def stats(
    ctx: FunctionContext, path: str, hash_type: str | None = None, follow_symlinks: bool = True
) -> DataMap:
    """Return the metadata of a path.

    Args:
        path: the path.
        hash_type: also return the checksum of this type, as `sum`.

    Example:
        ensue call '*' file.stats /etc/motd

    Returns:
        `uid`, `gid`, `user`, `group`, `atime`, `mtime`, `size`, `mode`, `type` and `target`; not inode and
        ctime, which not every connection provides.

    Raises:
        StateFailedError: the path does not exist.
    """
    status = await _described(ctx, path, follow=follow_symlinks)
    described: DataMap = {
        "uid": status.uid,
        "gid": status.gid,
        "group": status.group,
        "user": status.user,
        "atime": status.atime_s,
        "mtime": status.mtime_s,
        "size": status.size_bytes,
        "mode": f"{status.mode:04o}",
        "type": _TYPES[status.kind],
        "target": path,
    }
    if hash_type:
        described["sum"] = await get_hash(ctx, path, hash_type)
    return described


async def get_mode(ctx: FunctionContext, path: str, follow_symlinks: bool = True) -> str:
    """Return the permission bits of a path as four octal digits.

    Example:
        ensue call '*' file.get_mode /etc/motd
    """
    return f"{(await _described(ctx, path, follow=follow_symlinks)).mode:04o}"


async def get_user(ctx: FunctionContext, path: str, follow_symlinks: bool = True) -> str:
    """Return the name of a path's owner.

    Example:
        ensue call '*' file.get_user /etc/motd
    """
    return (await _described(ctx, path, follow=follow_symlinks)).user


async def get_group(ctx: FunctionContext, path: str, follow_symlinks: bool = True) -> str:
    """Return the name of a path's group.

    Example:
        ensue call '*' file.get_group /etc/motd
    """
    return (await _described(ctx, path, follow=follow_symlinks)).group


async def get_uid(ctx: FunctionContext, path: str, follow_symlinks: bool = True) -> int:
    """Return the id of a path's owner.

    Example:
        ensue call '*' file.get_uid /etc/motd
    """
    return (await _described(ctx, path, follow=follow_symlinks)).uid


async def get_gid(ctx: FunctionContext, path: str, follow_symlinks: bool = True) -> int:
    """Return the id of a path's group.

    Example:
        ensue call '*' file.get_gid /etc/motd
    """
    return (await _described(ctx, path, follow=follow_symlinks)).gid


async def get_hash(ctx: FunctionContext, path: str, form: str = "sha256") -> str:
    """Return a file's checksum.

    Args:
        path: the file.

    Example:
        ensue call '*' file.get_hash /etc/motd

    Raises:
        StateFailedError: there is no such hash type, or the path does not exist.
    """
    if form not in hashlib.algorithms_available:
        raise StateFailedError(f"Invalid hash type: {form}")
    digest = await ctx.connection.checksum(path, form)
    if digest is None:
        raise StateFailedError(f"Path not found: {path}")
    return digest


async def get_sum(ctx: FunctionContext, path: str, form: str = "sha256") -> str:
    """Return a file's checksum, or `File not found` as text.

    Args:
        path: the file.

    Example:
        ensue call '*' file.get_sum /etc/motd
    """
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "file":
        return "File not found"
    return await get_hash(ctx, path, form)


async def check_hash(ctx: FunctionContext, path: str, file_hash: str) -> bool:
    """Return whether a file has this checksum.

    Args:
        path: the file.
        file_hash: `sha256=…`, `sha256:…`, or the checksum alone, whose length determines the hash type.

    Example:
        ensue call '*' file.check_hash /etc/motd file_hash=sha256:9f86d081884c7d65

    Raises:
        StateFailedError: no hash type has checksums of that length.
    """
    kind, separator, expected = file_hash.replace(":", "=", 1).partition("=")
    if not separator:
        kind, expected = HASH_TYPES.get(len(file_hash), ""), file_hash
    if not kind:
        known = ", ".join(f"{name} ({length})" for length, name in HASH_TYPES.items())
        raise StateFailedError(f"no hash type has checksums of {len(file_hash)} characters (known: {known})")
    return await get_hash(ctx, path, kind) == expected.lower()


async def _described(ctx: FunctionContext, path: str, *, follow: bool) -> FileStat:
    status = await ctx.connection.stat(path, follow=follow)
    if status is None and follow:
        status = await ctx.connection.stat(path)
    if status is None:
        raise StateFailedError(f"Path not found: {path}")
    return status


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "check_hash": check_hash,
    "get_gid": get_gid,
    "get_group": get_group,
    "get_hash": get_hash,
    "get_mode": get_mode,
    "get_sum": get_sum,
    "get_uid": get_uid,
    "get_user": get_user,
    "stats": stats,
}
