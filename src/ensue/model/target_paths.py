"""Facts about a path on a target that are known without looking at the target."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PATH_BYTES: Final = 4096
"""Linux's PATH_MAX: no system call takes a longer path, so a walk that reaches one is in a loop."""


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first, the root last; none above the root itself.

    The result does not depend on the files of the target. A relative path ends with its first part.
    """
    folder = path.rstrip("/")
    while above := posixpath.dirname(folder):
        yield above
        folder = above.rstrip("/")


def is_too_long(path: str) -> bool:
    """Say whether a path is longer than any that can exist."""
    return len(path.encode("utf-8", "surrogateescape")) > LONGEST_PATH_BYTES
