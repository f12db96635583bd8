"""State module `blockdev`: formats block devices, and tunes their settings in the kernel.

Differences from Salt:
    `blockdev.tuned` changes nothing the second time.

Source: Salt's state module `blockdev`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_NOT_FOUND: Final = 127
_ASKED: Final = {
    "read-ahead": "getra", "filesystem-read-ahead": "getfra", "read-only": "getro", "read-write": "getro",
}  # fmt: skip


async def formatted(
    ctx: StateContext,
    name: str,
    fs_type: str = "ext4",
    force: bool = False,
    *,
    inode_size: int | None = None,
    lazy_itable_init: int | None = None,
    fat: int | None = None,
) -> StateReturn:
    """Create a file system on a device, unless it has one of this type; other data on it is lost.

    Args:
        name: the device.
        fs_type: type of file system.
        force: format the device even if it is in use or not empty.
        inode_size: for ext, bytes per inode; for xfs, size of an inode.
        lazy_itable_init: for ext, whether the kernel initializes the inode tables later.
        fat: for fat, 12, 16 or 32.

    Example:
        /dev/vdb:
          blockdev.formatted:
            - fs_type: ext4

    Returns:
        `changes` has `new` and `old`, types of file system; `new_state` has `name fs_type`.

    Raises:
        StateFailedError: the target has no program for it, or the program reports an error.
    """
    if await ctx.connection.stat(name, follow=True) is None:
        # In a plan, an earlier state may be about to create the device.
        return StateReturn(name=name, result=None if ctx.test else False, comment=f"{name} does not exist")
    new_state: DataMap = {"name": name, "fs_type": fs_type}
    before = await _kind(ctx, name)
    if before == fs_type:
        return StateReturn.unchanged(name, f"{name} already formatted with {fs_type}", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Changes to {name} will be applied")
    await ctx.call(
        "disk.format", name, fs_type, force=force, inode_size=inode_size, lazy_itable_init=lazy_itable_init,
        fat=fat,
    )  # fmt: skip
    if await _kind(ctx, name) != fs_type:
        return StateReturn.failed(name, f"Failed to format {name}")
    comment = f"{name} has been formatted with {fs_type}"
    changes: DataMap = {"new": fs_type, "old": before}
    return StateReturn.changed(name, comment, changes, new_state)


@also_takes(*_ASKED)
async def tuned(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Tune the settings of a block device in the kernel.

    Args:
        name: the device.
        **kwargs: `read-ahead` and `filesystem-read-ahead`, in sectors; `read-only: true` or `read-write:
            true`.

    Example:
        /dev/vdb:
          blockdev.tuned:
            - read-ahead: 1024
            - read-write: true

    Returns:
        `changes` has a text with the old and the new value by setting; `new_state` has `name settings`.

    Raises:
        StateFailedError: a setting is unknown, or the program reports an error.
    """
    unknown = [key for key in kwargs if key not in _ASKED]
    if unknown:
        raise StateFailedError(f"Invalid keyword arguments: {unknown[0]}; known are {', '.join(_ASKED)}")
    device = await ctx.connection.stat(name, follow=True)
    if device is None or device.kind != "block":
        comment = f"Changes to {name} cannot be applied. Not a block device."
        return StateReturn(name=name, result=None if ctx.test and device is None else False, comment=comment)
    before: dict[str, str] = await ctx.call("disk.dump", name)
    waiting = {key: value for key, value in kwargs.items() if _now(before, key) != str(value)}
    new_state: DataMap = {"name": name, "settings": {**kwargs}}
    if not waiting:
        return StateReturn.unchanged(name, f"Block device {name} already in correct state", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Changes to {name} will be applied")
    await ctx.call("disk.tune", name, **waiting)
    after: dict[str, str] = await ctx.call("disk.dump", name)
    changes: DataMap = {
        key: f"Changed from {_now(before, key)} to {_now(after, key)}"
        for key in waiting
        if _now(before, key) != _now(after, key)
    }
    return StateReturn.changed(name, f"Block device {name} successfully modified", changes, new_state)


async def _kind(ctx: StateContext, device: str) -> str:
    """Return the type of file system on a device; empty for none."""
    for program in ("blkid", "/usr/sbin/blkid", "/sbin/blkid"):
        argv = [program, "-o", "value", "-s", "TYPE", device]
        done = await ctx.connection.run(Command(argv=argv, env={"LC_ALL": "C"}))
        if done.returncode != _NOT_FOUND:
            return done.stdout.decode("utf-8", "replace").strip()
    raise StateFailedError(f"{ctx.srn} has no program `blkid`; install it there")


def _now(settings: Mapping[str, str], key: str) -> str:
    number = settings.get(_ASKED[key], "")
    if key == "read-only":
        return str(number == "1")
    return str(number == "0") if key == "read-write" else number


FUNCTIONS: Final = by_name(formatted, tuned)
