"""`pkg.removed` and `pkg.purged`: remove packages, without or with their configuration.

Args:
    version: remove the package only in this version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.package_versions import difference
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure, package_state
from ensue.library.states.pkg.requested import KNOWN, OUTDATED, fits, remarks, wanted_packages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def removed(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: list[str | dict[str, Any]] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Remove packages and what depends on them; their configuration may stay.

    Example:
        apache2:
          pkg.removed

    Returns:
        `changes` has `{package: {old, new}}` for all removed packages.

    Raises:
        StateFailedError: the arguments are invalid, or packages cannot be listed.
    """
    warnings = remarks("pkg.removed", kwargs)
    requested = wanted_packages(name, pkgs, version)
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    targets = await _there(ctx, requested, before)
    if not targets:
        comment = "All specified packages are already absent"
        return StateReturn.unchanged(name, comment, package_state(requested, {}), warnings=warnings)
    if ctx.test:
        return _planned(name, "removed", targets, warnings)
    try:
        await ctx.call("pkg.remove", pkgs=targets)
    except StateFailedError as error:
        changes = difference(before, await ctx.call("pkg.list_pkgs"))
        return failure(name, "Problem encountered removing package(s)", error, changes, warnings)
    after: dict[str, str] = await ctx.call("pkg.list_pkgs")
    return _done(
        name, "remove", requested, targets, changes=difference(before, after), after=after, warnings=warnings
    )


@also_takes(*KNOWN, outdated=OUTDATED)
async def purged(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: list[str | dict[str, Any]] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Remove packages with their configuration.

    Example:
        apache2:
          pkg.purged

    Returns:
        `changes` has `installed` (packages that were installed) and `removed` (those with only
        configuration).

    Raises:
        StateFailedError: the arguments are invalid, or packages cannot be listed.
    """
    warnings = remarks("pkg.purged", kwargs)
    requested = wanted_packages(name, pkgs, version)
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    left: dict[str, str] = await ctx.call("pkg.list_pkgs", removed=True)
    targets = sorted({*await _there(ctx, requested, before), *(each for each in requested if each in left)})
    if not targets:
        comment = "None of the targeted packages are installed or partially installed"
        return StateReturn.unchanged(name, comment, package_state(requested, {}), warnings=warnings)
    if ctx.test:
        return _planned(name, "purged", targets, warnings)
    try:
        changes: DataMap = await ctx.call("pkg.purge", pkgs=targets)
    except StateFailedError as error:
        made = difference(before, await ctx.call("pkg.list_pkgs"))
        return failure(name, "Problem encountered purging package(s)", error, made, warnings)
    after: dict[str, str] = {
        **await ctx.call("pkg.list_pkgs"), **await ctx.call("pkg.list_pkgs", removed=True)
    }  # fmt: skip
    return _done(name, "purge", requested, targets, changes=changes, after=after, warnings=warnings)


async def _there(
    ctx: StateContext, requested: Mapping[str, str | None], before: Mapping[str, str]
) -> list[str]:
    return sorted(
        [
            name
            for name, asked in requested.items()
            if name in before
            and (asked is None or any([await fits(ctx, each, asked) for each in before[name].split(",")]))
        ]
    )


def _planned(name: str, what: str, targets: Sequence[str], warnings: tuple[str, ...]) -> StateReturn:
    changes: DataMap = {each: {"new": what, "old": ""} for each in targets}
    comment = f"The following packages will be {what}: {', '.join(targets)}."
    return StateReturn.planned(name, comment, changes, warnings=warnings)


def _done(
    name: str,
    verb: str,
    requested: Mapping[str, str | None],
    targets: Sequence[str],
    *,
    changes: DataMap,
    after: Mapping[str, str],
    warnings: tuple[str, ...],
) -> StateReturn:
    failed = [each for each in targets if each in after]
    absent = sorted(each for each in requested if each not in targets)
    comment = f"All targeted packages were {verb}d."
    if failed:
        comment = f"The following packages failed to {verb}: {', '.join(failed)}."
    elif absent:
        comment = (
            f"The following packages were not installed: {', '.join(absent)} "
            f"The following packages were {verb}d: {', '.join(targets)}."
        )
    return StateReturn(
        name=name, result=not failed, changes=changes, comment=comment,
        new_state=package_state(requested, after), warnings=warnings,
    )  # fmt: skip
