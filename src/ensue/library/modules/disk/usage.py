"""The usage of the target's file systems, and the identifiers of block devices."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

    Table = dict[str, dict[str, Any]]

_COLUMNS: Final = 6


async def usage(ctx: FunctionContext, args: str | None = None) -> Table:
    """Return the disk usage by mount point: `filesystem`, `1K-blocks`, `used`, `available`, `capacity`.

    Args:
        args: additional option letters for df.
    """
    keys = ("filesystem", "1K-blocks", "used", "available", "capacity")
    return await _table(ctx, keys, "-P", "-k", *([f"-{args}"] if args else []))


async def inodeusage(ctx: FunctionContext, args: str | None = None) -> Table:
    """Return the inode usage by mount point: `filesystem`, `inodes`, `used`, `free`, `use`; see `usage`.

    Args:
        args: further option letters for df.
    """
    keys = ("filesystem", "inodes", "used", "free", "use")
    return await _table(ctx, keys, "-P", "-i", *([f"-{args}"] if args else []))


async def percent(ctx: FunctionContext, args: str | None = None) -> dict[str, Any] | str:
    """Return the usage in percent (`42%`) by mount point, or of one mount point.

    Args:
        args: the mount point; without one, the result has all of them.
    """
    percentages = {place: about["capacity"] for place, about in (await usage(ctx)).items()}
    return percentages.get(args, "") if args else percentages


async def blkid(ctx: FunctionContext, device: str | None = None, token: str | None = None) -> Table:
    """Return the identifiers of block devices (`UUID`, `LABEL`, `TYPE`), by device.

    Args:
        device: the device; None for all devices.
        token: a pair that the devices have to have (`LABEL=data`).
    """
    words = [device] if device else ["-t", token] if token else []
    devices: Table = {}
    for line in (await ask(ctx, "blkid", *words)).stdout.splitlines():
        path, _, answer = line.partition(": ")
        pairs = (word.partition("=") for word in shlex.split(answer))
        devices[path] = {name: value for name, _, value in pairs}
    return devices


async def fstype(ctx: FunctionContext, device: str) -> str:
    """Return the type of a device's file system, empty if it has none.

    Example:
        ensue call '*' disk.fstype /dev/vdb
    """
    return str((await blkid(ctx, device)).get(device, {}).get("TYPE", ""))


async def _table(ctx: FunctionContext, keys: tuple[str, ...], *words: str) -> Table:
    answer = await must(ctx, "df", *words, what="measure the usage of file systems")
    rows = (line.split(None, _COLUMNS - 1) for line in answer.stdout.splitlines()[1:])
    return {row[-1]: dict(zip(keys, row, strict=False)) for row in rows if len(row) == _COLUMNS}


OFFERED: Final = by_name(blkid, fstype, inodeusage, percent, usage)
