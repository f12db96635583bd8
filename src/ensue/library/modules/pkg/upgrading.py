"""Upgrades all packages.

Args:
    dist_upgrade: allow other packages to be installed or removed for that (apt).

Source: Salt's execution module `pkg` (aptpkg), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.package_versions import difference
from ensue.library.modules.pkg.manager import package_manager
from ensue.library.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def list_upgrades(
    ctx: FunctionContext, refresh: bool = True, dist_upgrade: bool = True, **kwargs: Any
) -> dict[str, str]:
    """Return the packages that an upgrade would change, with their new versions.

    Raises:
        StateFailedError: the package manager fails.
    """
    manager = await package_manager(ctx)
    if refresh:
        await manager.refresh(ctx)
    return await manager.upgrades(ctx, dist_upgrade=dist_upgrade)


async def upgrade(
    ctx: FunctionContext, refresh: bool = True, dist_upgrade: bool = False, **kwargs: Any
) -> DataMap:
    """Upgrade all packages.

    Returns:
        `{name: {old, new}}` for all packages that changed.

    Raises:
        StateFailedError: the package manager fails.
    """
    manager = await package_manager(ctx)
    if refresh:
        await manager.refresh(ctx)
    before = await list_pkgs(ctx)
    await manager.upgrade(ctx, dist_upgrade=dist_upgrade)
    after = await list_pkgs(ctx)
    return difference(before, after)
