"""Checks of paths on a target that need no access to the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PATH_BYTES: Final = 4096
"""Linux's PATH_MAX: no system call takes a longer path, so a walk that reaches one follows a cycle."""


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first, the root last; none above the root itself.

    The result does not depend on the files of the target. A relative path ends with its first part.
    """
    root = path[: len(path) - len(path.lstrip("/"))]
    folder = path.rstrip("/")
    while (end := folder.rfind("/")) >= 0:
        folder = folder[:end].rstrip("/")
        yield folder or root


def is_too_long(path: str) -> bool:
    """Return whether a path is too long to exist."""
    return len(path.encode("utf-8", "surrogateescape")) > LONGEST_PATH_BYTES
