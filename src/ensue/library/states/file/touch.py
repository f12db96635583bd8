"""`file.touch`: creates an empty file, or updates the times of an existing path.

As in Salt, it changes the times on every run. All other functions of `file` change nothing in a second run.
"""

from __future__ import annotations

import posixpath
import time
from typing import TYPE_CHECKING, Literal

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.described import absent_state, file_state, state_after
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    target_path,
    without_folder,
)

if TYPE_CHECKING:
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data


async def touch(
    ctx: StateContext,
    name: str,
    *,
    atime: float | str | None = None,
    mtime: float | str | None = None,
    makedirs: bool = False,
) -> StateReturn:
    """Create an empty file, or set the times of an existing path.

    Args:
        name: an absolute path.
        atime: access time, seconds since the epoch; by default `mtime`, or now if neither is given.
        mtime: modification time, seconds since the epoch; by default `atime`, or now if neither is given.

    Example:
        /etc/app.stamp:
          file.touch:
            - makedirs: true

    Returns:
        `changes` has `new` or `touched`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the parent folder does not exist.
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    if ctx.test:
        planned = await _planned(ctx, name, path, status, _seconds("atime", atime), _seconds("mtime", mtime))
        change: Literal["write"] | None = None if status else "write"
        return await in_folder(
            ctx.connection, path, planned, makedirs=makedirs or status is not None, change=change
        )
    folder = posixpath.dirname(path)
    if not await is_folder(ctx.connection, folder):
        if not makedirs:
            raise StateFailedError(without_folder(f"Directory not present to touch file {path}: {folder}"))
        await make_parents(ctx.connection, path, RequestedAttributes())
    if status is None:
        await ctx.connection.write(path, b"")
    now = time.time()
    read_at, changed_at = _seconds("atime", atime), _seconds("mtime", mtime)
    if status is not None or read_at is not None or changed_at is not None:
        await ctx.connection.set_times(
            path,
            atime_s=next((each for each in (read_at, changed_at) if each is not None), now),
            mtime_s=next((each for each in (changed_at, read_at) if each is not None), now),
        )
    new_state = await state_after(ctx.connection, path)
    if status is None:
        comment = f"Created empty file {path}"
        return StateReturn.changed(name, comment, {"new": path}, new_state, old_state=absent_state(path))
    what = "directory" if status.kind == "directory" else "file"
    return StateReturn.changed(name, f"Updated times on {what} {path}", {"touched": path}, new_state)


async def _planned(
    ctx: StateContext, name: str, path: str, status: FileStat | None, atime: float | None, mtime: float | None
) -> StateReturn:
    if status is None:
        comment = f"File {path} is set to be created"
        return StateReturn.planned(name, comment, {"new": path}, old_state=absent_state(path))
    differs = (atime is not None and atime != status.atime_s) or (
        mtime is not None and mtime != status.mtime_s
    )
    if (atime is None and mtime is None) or differs:
        return StateReturn.planned(name, f"Times set to be updated on file {path}", {"touched": path})
    sha256 = await ctx.connection.checksum(path) if status.kind == "file" else None
    comment = f"File {path} exists and has the correct times"
    return StateReturn.unchanged(name, comment, file_state(path, sha256, status))


def _seconds(word: str, value: Data) -> float | None:
    if value is None:
        return None
    try:
        return float(str(value))
    except ValueError:
        raise StateFailedError(f"{word}: {value!r} is not a number of seconds since the epoch") from None
