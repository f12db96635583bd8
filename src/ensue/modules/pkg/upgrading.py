"""Upgrades of all packages.

Source: Salt's execution module `pkg` (aptpkg), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.modules.pkg.manager import package_manager
from ensue.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap


async def list_upgrades(
    ctx: FunctionContext,
    refresh: bool = True,
    dist_upgrade: bool = True,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> dict[str, str]:
    """Return the new version of each package that an upgrade would bring.

    Args:
        ctx: the target.
        refresh: fetch the lists of packages first.
        dist_upgrade: others may come and go for that (apt).
        **kwargs: what only Salt makes use of.

    Raises:
        StateFailedError: it cannot be told.
    """
    manager = await package_manager(ctx)
    if refresh:
        await manager.refresh(ctx)
    return await manager.upgrades(ctx, dist_upgrade=dist_upgrade)


async def upgrade(
    ctx: FunctionContext,
    refresh: bool = True,
    dist_upgrade: bool = False,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> DataMap:
    """Upgrade all packages.

    Args:
        ctx: the target.
        refresh: fetch the lists of packages first.
        dist_upgrade: others may come and go for that (apt).
        **kwargs: what only Salt makes use of.

    Returns:
        `{name: {old, new}}` for all that changed.

    Raises:
        StateFailedError: it failed.
    """
    manager = await package_manager(ctx)
    if refresh:
        await manager.refresh(ctx)
    before = await list_pkgs(ctx)
    await manager.upgrade(ctx, dist_upgrade=dist_upgrade)
    after = await list_pkgs(ctx)
    return {
        name: {"old": before.get(name, ""), "new": after.get(name, "")}
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    }
