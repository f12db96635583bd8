"""Existence and kind of a path: `file_exists`, `directory_exists`, `is_link` and related functions."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext

_ACCESS: Final = {"f": "-e", "r": "-r", "w": "-w", "x": "-x", "0": "-e", "4": "-r", "2": "-w", "1": "-x"}


async def file_exists(ctx: FunctionContext, path: str) -> bool:
    """Return whether a path is a regular file; symlinks are followed.

    Args:
        path: the path.

    Example:
        ensue call '*' file.file_exists /etc/motd
    """
    status = await ctx.connection.stat(path, follow=True)
    return status is not None and status.kind == "file"


async def directory_exists(ctx: FunctionContext, path: str) -> bool:
    """Return whether a path is a folder; symlinks are followed.

    Args:
        path: the path.

    Example:
        ensue call '*' file.directory_exists /etc/motd
    """
    status = await ctx.connection.stat(path, follow=True)
    return status is not None and status.kind == "directory"


async def path_exists(ctx: FunctionContext, path: str) -> bool:
    """Return whether a path exists; symlinks are followed.

    Args:
        path: the path.

    Example:
        ensue call '*' file.path_exists /etc/motd
    """
    return await ctx.connection.stat(path, follow=True) is not None


async def is_link(ctx: FunctionContext, path: str) -> bool:
    """Return whether a path is a symlink.

    Example:
        ensue call '*' file.is_link /etc/localtime
    """
    status = await ctx.connection.stat(path)
    return status is not None and status.kind == "symlink"


async def readlink(ctx: FunctionContext, path: str, canonicalize: bool = False) -> str:
    """Return the target of a symlink.

    Args:
        path: the symlink.
        canonicalize: resolve all symlinks and return an absolute path.

    Example:
        ensue call '*' file.readlink /etc/localtime

    Raises:
        StateFailedError: the path is not a symlink.
    """
    status = await ctx.connection.stat(path)
    if status is None or status.kind != "symlink":
        raise StateFailedError(f"A valid link was not specified: {path}")
    if not canonicalize:
        return status.link_target
    done = await ctx.connection.run(Command(argv=["readlink", "-m", path]))
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


async def access(ctx: FunctionContext, path: str, mode: str | int) -> bool:
    """Return whether the user of the connection may read, write or execute a path.

    Args:
        mode: `f` (existence), `r`, `w` or `x`, or their numbers 0, 4, 2, 1.

    Example:
        ensue call '*' file.access /etc/motd r

    Raises:
        StateFailedError: the path is not absolute, or there is no such mode.
    """
    if not posixpath.isabs(path):
        raise StateFailedError("Path to link must be absolute.")
    test = _ACCESS.get(str(mode))
    if test is None:
        raise StateFailedError(f"Invalid mode specified: {mode!r} (f, r, w or x)")
    return (await ctx.connection.run(Command(argv=["test", test, path]))).returncode == 0


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "access": access,
    "directory_exists": directory_exists,
    "file_exists": file_exists,
    "is_link": is_link,
    "path_exists": path_exists,
    "readlink": readlink,
}
