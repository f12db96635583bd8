"""Fetches packages into the cache of the target's package manager.

Source: Salt's execution module `pkg` (aptpkg, yumpkg), 3008: the names. Unlike Salt's, `download` also works
with apt, fetches dependencies, and needs no yumdownloader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.library.modules.pkg.manager import InstallOptions, package_manager

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def list_downloaded(ctx: FunctionContext, **kwargs: Any) -> dict[str, list[str]]:
    """Return the versions of the packages in the cache, by name.

    Raises:
        NotAvailableError: the package manager keeps no cache.
    """
    return await (await package_manager(ctx)).downloaded(ctx)


async def download(
    ctx: FunctionContext,
    *packages: str,
    pkgs: Sequence[dict[str, str | None]] = (),
    fromrepo: str | None = None,
    skip_verify: bool = False,
    install_recommends: bool | None = None,
    **kwargs: Any,
) -> DataMap:
    """Fetch packages and their dependencies, and install nothing.

    Args:
        *packages: names of packages.
        pkgs: further packages, each `{name: version}`.
        fromrepo: the repository to fetch them from.
        skip_verify: accept unsigned packages.
        install_recommends: also fetch recommended packages.

    Returns:
        `{name: {old, new}}`: the versions in the cache before and after, separated by commas.

    Raises:
        StateFailedError: the packages could not be fetched.
        NotAvailableError: the package manager keeps no cache.
    """
    requested: dict[str, str | None] = dict.fromkeys(packages)
    for each in pkgs:
        requested |= each
    if wrong := [name for name in requested if not name or name.startswith("-")]:
        raise StateFailedError(f"{wrong[0]!r} is not a package name")
    manager = await package_manager(ctx)
    options = InstallOptions(
        fromrepo=fromrepo, skip_verify=skip_verify, install_recommends=install_recommends
    )
    before = await manager.downloaded(ctx)
    await manager.download(ctx, requested, options)
    after = await manager.downloaded(ctx)
    return {
        name: {"old": ",".join(sorted(before.get(name, ()))), "new": ",".join(sorted(versions))}
        for name, versions in sorted(after.items())
        if sorted(versions) != sorted(before.get(name, ()))
    }
