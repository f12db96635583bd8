"""`clean`: removes what is in a folder and not managed.

It keeps the paths of `file` states that the folder requires, what states beside it declare below it, the
paths that `exclude_pat` matches, and the folders that contain them.
"""

from __future__ import annotations

import posixpath
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.target_paths import folders_above
from ensue.library.states.file.tree import matches, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data
    from ensue.core.model.returns import Return

_FOLDER: Final = "file.directory"


class KeptPaths(NamedTuple):
    """What `clean` keeps.

    Args:
        whole: paths, with everything in them.
        alone: folders, of which only what is kept itself stays.
    """

    whole: frozenset[str]
    alone: frozenset[str]


def kept_paths(ctx: StateContext) -> KeptPaths:
    """Return the paths that required `file` states manage, and that states beside this one make below it."""
    declaration = ctx.declaration
    required = [name for function, name in declaration.requires if function.startswith("file.")]
    alone = [name for function, name in declaration.declared_below if function == _FOLDER]
    others = [name for function, name in declaration.declared_below if function != _FOLDER]
    return KeptPaths(_normal((*required, *others)), _normal(alone))


def removed_paths(returned: Return) -> list[str]:
    """Return the paths that the changes of a state say that it removed, or in a plan would."""
    changes = returned.changes
    lists = (changes.get("removed"), changes.get("deleted"))
    paths = [path for listed in lists for path in (listed if is_list(listed) else [listed])]
    paths += [path for path, change in changes.items() if is_mapping(change) and "removed" in change]
    return [posixpath.join(returned.name, path) for path in paths if isinstance(path, str)]


def _normal(names: Iterable[str]) -> frozenset[str]:
    return frozenset(posixpath.normpath(name) for name in names if name.startswith("/"))


async def superfluous(connection: Connection, top: str, keep: KeptPaths, exclude_pat: Data) -> list[str]:
    """Return the paths to remove, each after its folder.

    Args:
        connection: the connection to the target.
        top: the folder.
        keep: what is kept.
        exclude_pat: patterns of paths below the folder to keep.
    """
    kept = keep.whole
    entries = [entry async for entry in walk(connection, top)]
    stays = {*keep.alone}
    for entry in entries:
        relative = posixpath.relpath(entry.path, top)
        if _is_within(entry.path, kept) or (exclude_pat and matches(exclude_pat, relative)):
            stays.add(entry.path)
            stays.update(_folders_above(entry.path, top))
    stays.update(folder for path in (*kept, *keep.alone) for folder in _folders_above(path, top))
    return [entry.path for entry in entries if entry.path not in stays]


async def remove_all(connection: Connection, paths: list[str]) -> list[str]:
    """Remove paths, and return the topmost ones, sorted."""
    going = set(paths)
    topmost = sorted(path for path in going if posixpath.dirname(path) not in going)
    for path in topmost:
        await connection.remove(path, recursive=True)
    return topmost


def _is_within(path: str, kept: Collection[str]) -> bool:
    return path in kept or any(folder in kept for folder in _folders_above(path, ""))


def _folders_above(path: str, top: str) -> list[str]:
    return [*takewhile(lambda folder: folder not in {top, "/"}, folders_above(path))]
