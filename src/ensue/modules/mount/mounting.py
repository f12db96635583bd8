"""What is mounted now, and mounting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.context import FunctionContext

_OCTAL: Final = re.compile(r"\\([0-7]{3})")


async def active(ctx: FunctionContext, extended: bool = False) -> dict[str, dict[str, Any]]:
    """Return what is mounted: by folder `device fstype opts`, with `superopts` when `extended`."""
    said = await must(ctx, "cat", "/proc/self/mountinfo", what="list what is mounted")
    found: dict[str, dict[str, Any]] = {}
    for line in said.stdout.splitlines():
        here, _, there = line.partition(" - ")
        folder, opts = here.split()[4:6]
        fstype, device, superopts = [*there.split(), ""][:3]
        entry: dict[str, Any] = {"device": unescaped(device), "fstype": fstype, "opts": opts.split(",")}
        found[unescaped(folder)] = {**entry, "superopts": superopts.split(",")} if extended else entry
    return found


async def is_mounted(ctx: FunctionContext, name: str) -> bool:
    """Return whether something is mounted on a folder."""
    return name in await active(ctx)


async def mount(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    name: str,
    device: str = "",
    mkmnt: bool = False,
    fstype: str = "",
    opts: str | Sequence[str] = "defaults",
    user: str | None = None,  # noqa: ARG001 (Salt's argument)
) -> bool:
    """Mount a device on a folder.

    Args:
        ctx: the target.
        name: the folder.
        device: the device; empty: the one that the fstab names for the folder.
        mkmnt: make the folder.
        fstype: the kind of file system.
        opts: options, as a list or joined by commas.
        user: has no effect; the user of the connection mounts it.

    Raises:
        StateFailedError: it cannot be mounted; says why.
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
    """Change the options of what is mounted on a folder.

    Raises:
        StateFailedError: they cannot be changed.
    """
    await must(ctx, "mount", "-o", f"remount,{joined(opts)}", "--", name, what=f"remount {name}")
    return True


async def umount(ctx: FunctionContext, name: str, lazy: bool = False) -> bool:
    """Unmount what is mounted on a folder.

    Args:
        ctx: the target.
        name: the folder.
        lazy: unmount it even if it is busy.

    Raises:
        StateFailedError: it is busy, or nothing is mounted there.
    """
    await must(ctx, "umount", *(["-l"] if lazy else []), "--", name, what=f"unmount {name}")
    return True


def joined(opts: str | Sequence[str]) -> str:
    """Return options as `mount` takes them."""
    return (opts if isinstance(opts, str) else ",".join(map(str, opts))) or "defaults"


def unescaped(text: str) -> str:
    """Return a field with blanks and the like in the place of their octal numbers."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)
