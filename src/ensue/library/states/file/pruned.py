"""`file.pruned`: removes an empty folder, or a tree of empty folders.

Source: Salt's state module `file`, 3008: changes and comments.
"""

from __future__ import annotations

import posixpath
import time
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import reads_paths
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.needs import with_rights
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_SECONDS_A_DAY: Final = 86_400


@reads_paths(always_below=True)
async def pruned(
    ctx: StateContext,
    name: str,
    recurse: bool = False,
    ignore_errors: bool = False,
    older_than: float | None = None,
) -> StateReturn:
    """Remove an empty folder.

    Args:
        name: absolute path of the folder.
        recurse: first remove the empty folders in it.
        ignore_errors: keep folders that are not empty, and remove the empty ones below them.
        older_than: keep folders that were changed within this number of days.

    Example:
        /var/tmp/empty:
          file.pruned

    Returns:
        `changes` has `deleted`; `new_state` has `path exists`, or describes the folder if it is still there.
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "directory":
        comment = f"Directory {path} is not present"
        state = absent_state(path) if status is None else path_state(path, status)
        return StateReturn.unchanged(name, comment, state)
    before = time.time() - older_than * _SECONDS_A_DAY if older_than else None
    doomed = await _empty_folders(ctx.connection, path, before, recurse=recurse or ignore_errors)
    goes = path in doomed
    if not goes and not ignore_errors:
        # In a plan, what comes before this state may be about to empty it.
        comment = f"Directory {path} is not empty" if ctx.test else f"Failed to remove directory {path}"
        return StateReturn(name=name, result=None if ctx.test else False, comment=comment)
    if not doomed:
        return StateReturn.unchanged(name, f"Nothing is empty below {path}", path_state(path, status))
    recursive = recurse or ignore_errors
    deleted: Data = [*sorted(doomed)] if recursive else path
    changes: DataMap = {"deleted": deleted}
    if ctx.test:
        planned = StateReturn.planned(name, f"Directory {path} is set for removal", changes)
        return await with_rights(ctx.connection, path, planned, "remove")
    for each in doomed:
        await ctx.connection.remove(each, recursive=False)
    return StateReturn.changed(
        name,
        f"Recursively removed empty directories under {path}" if recursive else f"Removed directory {path}",
        changes,
        absent_state(path) if goes else path_state(path, status),
        old_state=path_state(path, status),
    )


async def _empty_folders(
    connection: Connection, folder: str, before: float | None, *, recurse: bool
) -> list[str]:
    """Return the folders that hold nothing but such folders, the deepest first; the folder itself last."""
    doomed: list[str] = []
    names = await connection.list_directory(folder)
    holds = bool(names)
    if recurse:
        holds = False
        for name in names:
            path = posixpath.join(folder, name)
            status = await connection.stat(path)
            below = (
                await _empty_folders(connection, path, before, recurse=True)
                if status is not None and status.kind == "directory"
                else []
            )
            doomed += below
            holds = holds or path not in below
    # Removing its folders changes the time of a folder, so the time is read before that.
    described = await connection.stat(folder, follow=True)
    is_old = before is None or (described is not None and described.mtime_s < before)
    return [*doomed, folder] if not holds and is_old else doomed
