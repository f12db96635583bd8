"""Swap: what the kernel uses, and having it use an area or leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.modules._programs import must
from ensue.modules.mount.mounting import unescaped

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext


async def swaps(ctx: FunctionContext) -> dict[str, dict[str, str]]:
    """Return the areas in use: by device or file `type size used priority`, sizes in KiB."""
    said = await must(ctx, "cat", "/proc/swaps", what="list the swap areas in use")
    found: dict[str, dict[str, str]] = {}
    for line in said.stdout.splitlines()[1:]:
        name, kind, size, used, priority = line.split()[:5]
        found[unescaped(name)] = {"type": kind, "size": size, "used": used, "priority": priority}
    return found


async def swapon(ctx: FunctionContext, name: str, priority: int | None = None) -> dict[str, Any]:
    """Start using a swap area.

    Args:
        ctx: the target.
        name: the device or file.
        priority: areas of a higher one are used first.

    Returns:
        `stats`, what `swaps` says of it, and `new`, whether it was not used before.

    Raises:
        StateFailedError: it is no swap area, or the kernel refuses it.
    """
    before = await swaps(ctx)
    if name in before:
        return {"stats": before[name], "new": False}
    words = [] if priority is None else ["-p", str(priority)]
    await must(ctx, "swapon", *words, "--", name, what=f"use {name} as swap")
    after = await swaps(ctx)
    return {"stats": after[name], "new": True} if name in after else {}


async def swapoff(ctx: FunctionContext, name: str) -> bool | None:
    """Stop using a swap area; return None if it was not in use.

    Raises:
        StateFailedError: what is in it fits nowhere else.
    """
    if name not in await swaps(ctx):
        return None
    await must(ctx, "swapoff", "--", name, what=f"stop using {name} as swap")
    return name not in await swaps(ctx)
