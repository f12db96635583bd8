"""Walks a folder of the target, and matches patterns against the paths below it.

Source: Python's `os.walk` (folders before what is in them, symlinks not followed); Salt's
`include_pat` and `exclude_pat`.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.target_paths import is_too_long

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.model.data import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderEntry:
    """A path below a folder.

    Args:
        path: absolute path.
        status: its attributes; those of a symlink itself, not of what it points to.
        is_folder: whether it is a folder, or a symlink to one.
        depth: number of folders between it and the top.
    """

    path: str
    status: FileStat
    is_folder: bool
    depth: int


async def walk(
    connection: Connection, top: str, *, max_depth: int | None = None
) -> AsyncIterator[FolderEntry]:
    """Yield everything below a folder: the entries of a folder first, then those of its folders.

    Args:
        connection: the connection to the target.
        top: the folder, which is not yielded itself.
        max_depth: 0 yields nothing, 1 the entries of the folder itself, and so on.

    Raises:
        StateFailedError: the folders are nested deeper than any path can be.
    """
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop(0)
        if max_depth is not None and depth >= max_depth:
            continue
        for name in await connection.list_directory(folder):
            path = posixpath.join(folder, name)
            status = await connection.stat(path)
            if status is None:  # Removed by somebody in the meantime.
                continue
            is_folder = status.kind == "directory"
            if is_folder:
                if is_too_long(path):
                    raise StateFailedError(f"the folders below {top} go deeper than any path can be")
                waiting.append((path, depth + 1))
            elif status.kind == "symlink":
                behind = await connection.stat(path, follow=True)
                is_folder = behind is not None and behind.kind == "directory"
            yield FolderEntry(path=path, status=status, is_folder=is_folder, depth=depth)


def matches(patterns: Data, relative: str) -> bool:
    """Return whether a path matches one of the patterns.

    Args:
        patterns: a glob, `E@` and a regular expression, or a list of these.
        relative: the path relative to the folder.

    Raises:
        StateFailedError: a regular expression is invalid.
    """
    for pattern in patterns if isinstance(patterns, list) else [patterns]:
        text = str(pattern)
        if not text.startswith("E@"):
            if fnmatch.fnmatch(relative, text):
                return True
            continue
        try:
            if re.search(text[2:], relative):
                return True
        except re.error as error:
            raise StateFailedError(f"{text!r} is not a regular expression: {error}") from None
    return False


def is_wanted(relative: str, include: Data, exclude: Data) -> bool:
    """Return whether a path is included and not excluded; without `include` everything is included."""
    if include and not matches(include, relative):
        return False
    return not (exclude and matches(exclude, relative))
