"""`pkg.downloaded`: packages in the cache of the package manager, to be installed later.

Source: Salt's state module `pkg`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure
from ensue.library.states.pkg.requested import KNOWN, OUTDATED, fits, remarks, wanted_packages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def downloaded(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: list[str | dict[str, Any]] | None = None,
    fromrepo: str | None = None,
    skip_verify: bool = False,
    install_recommends: bool | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Fetch packages and their dependencies, and install nothing.

    Args:
        version: a version of the package.
        pkgs: several packages, each a name or `name: version`.
        fromrepo: release (apt) or repositories (dnf) to fetch from.
        install_recommends: also fetch recommended packages (apt).

    Example:
        nginx:
          pkg.downloaded

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has the versions in the cache by package.

    Raises:
        StateFailedError: the arguments are invalid.
    """
    warnings = remarks("pkg.downloaded", {word: kwargs[word] for word in kwargs if word != "downloadonly"})
    if pkgs == []:
        return StateReturn.unchanged(name, "No packages to download provided", {})
    requested = wanted_packages(name, pkgs, version)
    try:
        there: dict[str, list[str]] = await ctx.call("pkg.list_downloaded")
    except NotAvailableError:
        return StateReturn.failed(name, "The pkg.downloaded state is not available on this platform")
    missing = await _missing(ctx, requested, there)
    if not missing:
        exactly = " (matching specified versions)" if any(requested.values()) else ""
        comment = f"All specified packages{exactly} are already downloaded"
        return StateReturn.unchanged(name, comment, _state(requested, there), warnings=warnings)
    if ctx.test:
        comment = f"The following packages would be downloaded: {', '.join(missing)}"
        changes: DataMap = {
            each: {"old": ",".join(there.get(each, ())), "new": missing[each] or "downloaded"}
            for each in missing
        }
        return StateReturn.planned(name, comment, changes, warnings=warnings)
    options = {"fromrepo": fromrepo, "skip_verify": skip_verify, "install_recommends": install_recommends}
    try:
        changes = await ctx.call("pkg.download", pkgs=[{each: missing[each]} for each in missing], **options)
    except StateFailedError as error:
        return failure(name, "An error was encountered while downloading package(s)", error, {}, warnings)
    after: dict[str, list[str]] = await ctx.call("pkg.list_downloaded")
    failed = await _missing(ctx, requested, after)
    comment = f"Packages downloaded: {', '.join(missing)}"
    if failed:
        comment = f"The following packages failed to download: {', '.join(failed)}"
    return StateReturn(
        name=name,
        result=not failed,
        changes=changes,
        comment=comment,
        new_state=None if failed else _state(requested, after),
        old_state=_state(requested, there),
        warnings=warnings,
    )


async def _missing(
    ctx: StateContext, requested: Mapping[str, str | None], there: Mapping[str, Sequence[str]]
) -> dict[str, str | None]:
    """Return the packages that are not in the cache in a requested version."""
    missing: dict[str, str | None] = {}
    for package, version in requested.items():
        versions = there.get(package, ())
        if not versions or (version and not any([await fits(ctx, each, version) for each in versions])):
            missing[package] = version
    return missing


def _state(requested: Mapping[str, str | None], there: Mapping[str, Sequence[str]]) -> DataMap:
    return {package: ",".join(sorted(there.get(package, ()))) for package in requested}
