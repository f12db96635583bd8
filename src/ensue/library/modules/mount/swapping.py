"""Lists swap areas, and activates and deactivates them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.library.modules._programs import must
from ensue.library.modules.mount.mounting import unescaped

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def swaps(ctx: FunctionContext) -> dict[str, dict[str, str]]:
    """Return the active swap areas by device or file: `type`, `size`, `used` and `priority`, sizes in KiB."""
    answer = await must(ctx, "cat", "/proc/swaps", what="list the swap areas in use")
    areas: dict[str, dict[str, str]] = {}
    for line in answer.stdout.splitlines()[1:]:
        name, kind, size, used, priority = line.split()[:5]
        areas[unescaped(name)] = {"type": kind, "size": size, "used": used, "priority": priority}
    return areas


async def swapon(ctx: FunctionContext, name: str, priority: int | None = None) -> dict[str, Any]:
    """Activate a swap area.

    Args:
        name: the device or file.
        priority: its priority; areas with a higher one are used first.

    Example:
        ensue call '*' mount.swapon /swapfile

    Returns:
        `stats`, its entry in `mount.swaps`, and `new`, whether it was inactive before.

    Raises:
        StateFailedError: it is not a swap area, or the kernel refuses it.
    """
    before = await swaps(ctx)
    if name in before:
        return {"stats": before[name], "new": False}
    words = [] if priority is None else ["-p", str(priority)]
    await must(ctx, "swapon", *words, "--", name, what=f"use {name} as swap")
    after = await swaps(ctx)
    return {"stats": after[name], "new": True} if name in after else {}


async def swapoff(ctx: FunctionContext, name: str) -> bool | None:
    """Deactivate a swap area; return None if it was not active.

    Args:
        name: the device or file.

    Example:
        ensue call '*' mount.swapoff /swapfile

    Raises:
        StateFailedError: its content does not fit into memory and other areas.
    """
    if name not in await swaps(ctx):
        return None
    await must(ctx, "swapoff", "--", name, what=f"stop using {name} as swap")
    return name not in await swaps(ctx)
