"""Paths as text: `basename`, `dirname`, `join`, `normpath`. The target is not accessed.

Args:
    path: the path; nothing needs to exist there.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext


def basename(ctx: FunctionContext, path: str) -> str:
    """Return the last part of a path.

    Example:
        ensue call '*' file.basename /etc/motd
    """
    return posixpath.basename(path)


def dirname(ctx: FunctionContext, path: str) -> str:
    """Return a path without its last part.

    Example:
        ensue call '*' file.dirname /etc/motd
    """
    return posixpath.dirname(path)


def join(ctx: FunctionContext, *args: str) -> str:
    """Join the parts of a path; an absolute part drops all parts before it.

    Args:
        *args: the parts of the path.

    Example:
        ensue call '*' file.join /etc app.conf
    """
    return posixpath.join(*args) if args else ""


def normpath(ctx: FunctionContext, path: str) -> str:
    """Return a path without `.`, `..` and repeated slashes.

    Example:
        ensue call '*' file.normpath /etc/motd
    """
    return posixpath.normpath(path)


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "basename": basename,
    "dirname": dirname,
    "join": join,
    "normpath": normpath,
}
