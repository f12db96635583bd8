"""Queries installed and available packages.

Args:
    name: the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.library.modules.pkg.manager import package_manager

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def list_pkgs(
    ctx: FunctionContext, versions_as_list: bool = False, removed: bool = False, **kwargs: Any
) -> dict[str, Any]:
    """Return the installed versions by package name.

    Args:
        versions_as_list: return each value as a list instead of a string with commas.
        removed: return the packages that were removed but not purged instead.

    Raises:
        NotAvailableError: the target has no package manager that ensue knows.
    """
    versions = await (await package_manager(ctx)).installed(ctx, removed=removed)
    return dict(versions) if versions_as_list else {name: ",".join(each) for name, each in versions.items()}


async def version(ctx: FunctionContext, *names: str, **kwargs: Any) -> str | dict[str, str]:
    """Return the installed version of a package, empty if there is none; a mapping for several packages.

    Args:
        *names: the packages.

    Example:
        ensue call '*' pkg.version nginx
    """
    installed = await list_pkgs(ctx)
    versions = {name: str(installed.get(name, "")) for name in names}
    return versions[names[0]] if len(names) == 1 else versions


async def list_repo_pkgs(
    ctx: FunctionContext, *names: str, fromrepo: str | None = None, **kwargs: Any
) -> dict[str, list[str]]:
    """Return the versions of packages that can be installed; first the one that an install would choose.

    Args:
        *names: the packages.
        fromrepo: look only in these repositories.
    """
    manager = await package_manager(ctx)
    versions = await manager.available(ctx, names, fromrepo=fromrepo) if names else {}
    return {name: versions[name] for name in names if name in versions}


async def latest_version(
    ctx: FunctionContext, *names: str, fromrepo: str | None = None, refresh: bool = False, **kwargs: Any
) -> str | dict[str, str]:
    """Return the version that an install or upgrade would install; a mapping for several packages.

    Args:
        *names: packages.
        fromrepo: the repository to search.

    Example:
        ensue call '*' pkg.available_version

    Returns:
        The version, empty if the package is up to date or unknown.

    Raises:
        NotAvailableError: the target has no package manager that ensue knows.
        StateFailedError: the package manager fails.
    """
    manager = await package_manager(ctx)
    if refresh:
        await manager.refresh(ctx)
    offers = await manager.available(ctx, names, fromrepo=fromrepo) if names else {}
    there = await manager.installed(ctx)
    versions: dict[str, str] = {}
    for name in names:
        candidate = offers.get(name, [""])[0]
        now = there.get(name, [])
        is_newer = not now or (bool(candidate) and await manager.compare(ctx, candidate, now[-1]) > 0)
        versions[name] = candidate if is_newer else ""
    return versions[names[0]] if len(names) == 1 else versions


async def upgrade_available(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Return whether a newer version of a package is available.

    Example:
        ensue call '*' pkg.upgrade_available nginx
    """
    return await latest_version(ctx, name, **kwargs) != ""


async def version_cmp(ctx: FunctionContext, pkg1: str, pkg2: str, **kwargs: Any) -> int:
    """Compare two versions: -1 if the first is older, 0 if they are equal, 1 if it is newer.

    Args:
        pkg1: a version.
        pkg2: the version to compare it with.

    Example:
        ensue call '*' pkg.version_cmp 1.2-1 1.10-1
    """
    return await (await package_manager(ctx)).compare(ctx, str(pkg1), str(pkg2))


async def list_provided(ctx: FunctionContext, *names: str) -> list[str]:
    """Return names that installed packages provide (`mail-transport-agent`); Salt has no such function.

    Args:
        *names: the names.
    """
    return sorted(await (await package_manager(ctx)).provided(ctx, names) if names else [])


async def is_installed(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Return whether a package is installed.

    Example:
        ensue call '*' pkg.is_installed nginx
    """
    return name in await list_pkgs(ctx)
