"""`clean`: removes what is in a folder and not managed.

It keeps the paths of `file` states that the folder requires, the paths that `exclude_pat` matches, and the
folders that contain them.
"""

from __future__ import annotations

import posixpath
from itertools import takewhile
from typing import TYPE_CHECKING

from ensue.core.model.target_paths import folders_above
from ensue.library.states.file.tree import matches, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data


def required_paths(ctx: StateContext) -> frozenset[str]:
    """Return the paths that the `file` states required by this one manage."""
    return frozenset(
        posixpath.normpath(name)
        for function, name in ctx.declaration.requires
        if function.startswith("file.") and name.startswith("/")
    )


async def superfluous(connection: Connection, top: str, keep: Iterable[str], exclude_pat: Data) -> list[str]:
    """Return the paths to remove, each after its folder.

    Args:
        connection: the connection to the target.
        top: the folder.
        keep: paths to keep, with everything in them.
        exclude_pat: patterns of paths below the folder to keep.
    """
    kept = set(keep)
    entries = [entry async for entry in walk(connection, top)]
    stays: set[str] = set()
    for entry in entries:
        relative = posixpath.relpath(entry.path, top)
        if _is_within(entry.path, kept) or (exclude_pat and matches(exclude_pat, relative)):
            stays.add(entry.path)
            stays.update(_folders_above(entry.path, top))
    stays.update(folder for path in kept for folder in _folders_above(path, top))
    return [entry.path for entry in entries if entry.path not in stays]


async def remove_all(connection: Connection, paths: list[str]) -> list[str]:
    """Remove paths, and return the topmost ones, sorted."""
    going = set(paths)
    topmost = sorted(path for path in going if posixpath.dirname(path) not in going)
    for path in topmost:
        await connection.remove(path, recursive=True)
    return topmost


def _is_within(path: str, kept: set[str]) -> bool:
    return path in kept or any(folder in kept for folder in _folders_above(path, ""))


def _folders_above(path: str, top: str) -> list[str]:
    return [*takewhile(lambda folder: folder not in {top, "/"}, folders_above(path))]
