"""Queries LVM on the target; in a plan it may not be installed yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def shown(ctx: StateContext, function: str, name: str) -> dict[str, dict[str, Any]]:
    """Return what LVM reports about a volume or group; empty if it does not exist.

    Args:
        function: `lvm.pvdisplay`, `lvm.vgdisplay` or `lvm.lvdisplay`.
        name: the volume or group.

    Raises:
        StateFailedError: the target has no LVM, and this is not a plan.
    """
    try:
        volumes: dict[str, dict[str, Any]] = await ctx.call(function, name)
    except StateFailedError:
        if not ctx.test:
            raise
        return {}
    return volumes
