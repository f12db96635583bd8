"""Installs and removes packages. It compares the lists of packages before and after to report the changes.

Args:
    name: one package.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.package_versions import difference
from ensue.library.modules.pkg.files import install_sources
from ensue.library.modules.pkg.manager import InstallOptions, package_manager
from ensue.library.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def refresh_db(ctx: FunctionContext, cache_valid_time: float = 0, **kwargs: Any) -> bool:
    """Fetch the package lists.

    Args:
        cache_valid_time: skip this if the lists are younger, in seconds.

    Returns:
        Whether they were fetched.

    Raises:
        StateFailedError: the lists could not be fetched.
    """
    manager = await package_manager(ctx)
    refreshed_s = await manager.refreshed_at_s(ctx) if cache_valid_time else 0.0
    if refreshed_s is not None and time.time() - refreshed_s >= cache_valid_time:
        await manager.refresh(ctx)
        return True
    return False


async def install(
    ctx: FunctionContext,
    name: str | None = None,
    *,
    pkgs: Sequence[str | Mapping[str, Any]] | None = None,
    version: str | None = None,
    refresh: bool = False,
    fromrepo: str | None = None,
    skip_verify: bool = False,
    install_recommends: bool | None = None,
    only_upgrade: bool = False,
    reinstall: bool = False,
    sources: Sequence[Mapping[str, str]] | None = None,
    **kwargs: Any,
) -> DataMap:
    """Install or upgrade packages.

    Args:
        pkgs: several packages, each a name or `{name: version}`.
        version: the version of `name`.
        fromrepo: the repository to install from.
        skip_verify: accept unsigned packages.
        install_recommends: also install recommended packages.
        only_upgrade: upgrade installed packages only.
        reinstall: reinstall packages that are already installed.
        sources: package files to install instead, each `{name: salt://…}`.

    Example:
        ensue call '*' pkg.install nginx

    Returns:
        `{name: {old, new}}` for all packages that changed, including dependencies.

    Raises:
        StateFailedError: the packages could not be installed.
    """
    manager = await package_manager(ctx)
    requested = _wanted(name, pkgs, version)
    if refresh:
        await manager.refresh(ctx)
    options = InstallOptions(
        fromrepo=fromrepo,
        skip_verify=skip_verify,
        install_recommends=install_recommends,
        only_upgrade=only_upgrade,
        reinstall=reinstall,
    )
    before = await list_pkgs(ctx)
    if sources:
        await install_sources(ctx, manager, sources, options)
    else:
        await manager.install(ctx, requested, options)
    return difference(before, await list_pkgs(ctx))


async def remove(
    ctx: FunctionContext, name: str | None = None, pkgs: Sequence[str] | None = None, **kwargs: Any
) -> DataMap:
    """Remove packages; their configuration may stay.

    Example:
        ensue call '*' pkg.remove apache2

    Returns:
        `{name: {old, new}}` for all packages that were removed.

    Raises:
        StateFailedError: the packages could not be removed.
    """
    manager = await package_manager(ctx)
    before = await list_pkgs(ctx)
    there = [each for each in _wanted(name, pkgs, None) if each in before]
    if there:
        await manager.remove(ctx, there, purge=False)
    return difference(before, await list_pkgs(ctx))


async def purge(
    ctx: FunctionContext, name: str | None = None, pkgs: Sequence[str] | None = None, **kwargs: Any
) -> DataMap:
    """Remove packages with their configuration.

    Example:
        ensue call '*' pkg.purge apache2

    Returns:
        `installed`: the packages that were removed; `removed`: packages of which only configuration was left.

    Raises:
        StateFailedError: the packages could not be removed.
    """
    manager = await package_manager(ctx)
    before, left = await list_pkgs(ctx), await list_pkgs(ctx, removed=True)
    there = [each for each in _wanted(name, pkgs, None) if each in before or each in left]
    if there:
        await manager.remove(ctx, there, purge=True)
    removed = difference(left, await list_pkgs(ctx, removed=True))
    return {"installed": difference(before, await list_pkgs(ctx)), "removed": removed}


def _wanted(
    name: str | None, pkgs: Sequence[str | Mapping[str, Any]] | None, version: str | None
) -> dict[str, str | None]:
    requested: dict[str, str | None] = {}
    for each in pkgs or []:
        if isinstance(each, str):
            requested[each] = None
        else:
            requested |= {str(key): None if value is None else str(value) for key, value in each.items()}
    if not pkgs and name:
        requested[name] = version
    for each in requested:
        if not each or each.startswith("-"):
            raise StateFailedError(f"{each!r} is not a package name")
    return requested
