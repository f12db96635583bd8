"""`file.mknod`: creates a device node or a named pipe.

Source: Salt's state module `file`, 3008; mknod(1).
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final, Literal

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.paths import make_parents, target_path

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import FileKind, FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_KINDS: Final[dict[str, tuple[FileKind, str]]] = {
    "c": ("character", "Character device"),
    "b": ("block", "Block device"),
    "p": ("fifo", "Fifo pipe"),
}


async def mknod(
    ctx: StateContext,
    name: str,
    ntype: Literal["c", "b", "p"],
    major: int = 0,
    minor: int = 0,
    user: str | int | None = None,
    group: str | int | None = None,
    mode: Mode = "0600",
) -> StateReturn:
    """Create a device node or a named pipe.

    Args:
        name: absolute path; missing parent folders are created.
        ntype: `c` (character device), `b` (block device) or `p` (named pipe).
        major: number of the driver.
        minor: number of the device.
        mode: permission bits, octal.

    Example:
        /srv/jail/dev/null:
          file.mknod:
            - ntype: c
            - major: 1
            - minor: 3
            - mode: '0666'

    Returns:
        `changes` has `new`, or those of `user group mode` that differed; `new_state` has
        `path kind mode user group`.

    Raises:
        StateFailedError: something else, or a device with other numbers, is at the path.
    """
    if ntype not in _KINDS:
        raise StateFailedError(
            f"Node type unavailable: '{ntype}'. Available node types are character ('c'), block ('b'), "
            "and pipe ('p')"
        )
    kind, shown = _KINDS[ntype]
    path = await target_path(ctx, name)
    requested = RequestedAttributes.read(mode=mode, user=user, group=group)
    status = await ctx.connection.stat(path)
    if status is not None and status.kind != kind:
        raise StateFailedError(f"{path} exists and is not a {shown.lower()}. Refusing to continue")
    if status is not None:
        if ntype != "p":
            await _check_numbers(ctx, path, shown, int(major), int(minor))
        return await _checked(ctx, name, path, shown, requested, status)
    before = absent_state(path)
    if ctx.test:
        return StateReturn.planned(name, f"{shown} {path} is set to be created", old_state=before)
    await make_parents(ctx.connection, path, RequestedAttributes(user=requested.user, group=requested.group))
    folder, file = posixpath.split(path)
    words = [] if ntype == "p" else [str(int(major)), str(int(minor))]
    argv = ["mknod", "-m", f"{requested.mode or 0:04o}", "--", file, ntype, *words]
    done = await ctx.connection.run(Command(argv=argv, cwd=folder))
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip()
        raise StateFailedError(f"cannot make {path} on {ctx.srn}: {errors}")
    made = await _stat(ctx, path)
    applied = await apply_attributes(ctx.connection, path, requested, made)
    if applied.faults:
        return StateReturn.failed(name, ". ".join(applied.faults), {"new": path})
    after = await _stat(ctx, path) if applied.changes else made
    text = f"{shown} {path} created."
    changes: DataMap = {"new": text}
    return StateReturn.changed(name, text, changes, path_state(path, after), old_state=before)


async def _checked(
    ctx: StateContext, name: str, path: str, shown: str, requested: RequestedAttributes, status: FileStat
) -> StateReturn:
    """Correct owner and mode of an existing node."""
    planned = await requested.differences(ctx.connection, status)
    if not planned:
        comment = f"{shown} {path} is in the correct state"
        return StateReturn.unchanged(name, comment, path_state(path, status))
    if ctx.test:
        return StateReturn.planned(name, f"The attributes of {path} are set to be changed", planned)
    applied = await apply_attributes(ctx.connection, path, requested, status)
    if applied.faults:
        return StateReturn.failed(name, ". ".join(applied.faults), applied.changes)
    after = path_state(path, await _stat(ctx, path))
    return StateReturn.changed(name, f"{shown} {path} has new attributes", applied.changes, after)


async def _check_numbers(ctx: StateContext, path: str, shown: str, major: int, minor: int) -> None:
    folder, file = posixpath.split(path)
    done = await ctx.connection.run(Command(argv=["stat", "-c", "%t %T", "--", file], cwd=folder))
    if done.returncode:
        raise StateFailedError(f"cannot look at {path}: {done.stderr.decode('utf-8', 'replace').strip()}")
    there = tuple(int(number, 16) for number in done.stdout.split())
    if there != (major, minor):
        raise StateFailedError(
            f"{shown} {path} exists and has a different major/minor {there[0]}/{there[1]}. "
            "Refusing to continue"
        )


async def _stat(ctx: StateContext, path: str) -> FileStat:
    status = await ctx.connection.stat(path)
    if status is None:
        raise StateFailedError(f"{path} was removed by something else during this state")
    return status
