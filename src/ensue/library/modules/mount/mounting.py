"""Lists, mounts and unmounts file systems.

Args:
    name: the folder.
    opts: mount options, as a list or separated by commas.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

_OCTAL: Final = re.compile(r"\\([0-7]{3})")


async def active(ctx: FunctionContext, extended: bool = False) -> dict[str, dict[str, Any]]:
    """Return the mounts by folder: `device`, `fstype` and `opts`, with `extended` also `superopts`.

    Args:
        extended: include `superopts`, the options of the file system itself.
    """
    answer = await must(ctx, "cat", "/proc/self/mountinfo", what="list the mounts")
    mounts: dict[str, dict[str, Any]] = {}
    for line in answer.stdout.splitlines():
        here, _, there = line.partition(" - ")
        folder, opts = here.split()[4:6]
        fstype, device, superopts = [*there.split(), ""][:3]
        entry: dict[str, Any] = {"device": unescaped(device), "fstype": fstype, "opts": opts.split(",")}
        mounts[unescaped(folder)] = {**entry, "superopts": superopts.split(",")} if extended else entry
    return mounts


async def is_mounted(ctx: FunctionContext, name: str) -> bool:
    """Return whether something is mounted on a folder.

    Example:
        ensue call '*' mount.is_mounted /srv/data
    """
    return name in await active(ctx)


async def mount(
    ctx: FunctionContext,
    name: str,
    device: str = "",
    mkmnt: bool = False,
    fstype: str = "",
    opts: str | Sequence[str] = "defaults",
    user: str | None = None,
) -> bool:
    """Mount a device on a folder.

    Args:
        device: the device; empty for the folder's device in the fstab.
        mkmnt: create the folder.
        fstype: the type of the file system.
        user: without effect; the user of the connection mounts it.

    Example:
        ensue call '*' mount.mount /srv/data

    Raises:
        StateFailedError: it cannot be mounted; the message says why.
    """
    if mkmnt:
        await ctx.connection.make_directory(name, parents=True)
    if not device:
        await must(ctx, "mount", "--", name, what=f"mount {name}")
        return True
    kind = ["-t", fstype] if fstype else []
    await must(ctx, "mount", "-o", joined(opts), *kind, "--", device, name, what=f"mount {device} on {name}")
    return True


async def remount(ctx: FunctionContext, name: str, opts: str | Sequence[str]) -> bool:
    """Remount a folder with other options.

    Example:
        ensue call '*' mount.remount /srv/data noatime

    Raises:
        StateFailedError: the options cannot be changed.
    """
    await must(ctx, "mount", "-o", f"remount,{joined(opts)}", "--", name, what=f"remount {name}")
    return True


async def umount(ctx: FunctionContext, name: str, lazy: bool = False) -> bool:
    """Unmount a folder.

    Args:
        lazy: unmount it even if it is busy.

    Example:
        ensue call '*' mount.umount /srv/data

    Raises:
        StateFailedError: it is busy, or nothing is mounted there.
    """
    await must(ctx, "umount", *(["-l"] if lazy else []), "--", name, what=f"unmount {name}")
    return True


def joined(opts: str | Sequence[str]) -> str:
    """Return mount options as one string, separated by commas."""
    return (opts if isinstance(opts, str) else ",".join(map(str, opts))) or "defaults"


def unescaped(text: str) -> str:
    """Return a field with octal escapes replaced with their characters, such as blanks."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)
