"""`pkg.latest`: packages in their newest version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.package_versions import difference
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure, package_state
from ensue.library.states.pkg.package_lists import refresh_lists
from ensue.library.states.pkg.requested import KNOWN, OUTDATED, remarks, wanted_packages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def latest(
    ctx: StateContext,
    name: str,
    *,
    refresh: bool | None = None,
    fromrepo: str | None = None,
    skip_verify: bool = False,
    pkgs: list[str | dict[str, Any]] | None = None,
    install_recommends: bool | None = None,
    only_upgrade: bool = False,
    **kwargs: Any,
) -> StateReturn:
    """Install packages, or upgrade them to the newest version.

    Args:
        refresh: fetch the package lists first; by default if they are older than an hour.
        fromrepo: release (apt), repositories (dnf) or URL (apk) to install from.
        install_recommends: also install recommended packages (apt).
        only_upgrade: do not install missing packages (apt).

    Example:
        nginx:
          pkg.latest

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has the versions by package.

    Raises:
        StateFailedError: the arguments are invalid, or the lists cannot be fetched.
    """
    warnings = remarks("pkg.latest", kwargs)
    names = list(wanted_packages(name, pkgs))
    if not ctx.test:
        await refresh_lists(ctx, refresh=refresh)
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    newer = await _newer(ctx, names, fromrepo)
    unknown = [each for each in names if not newer.get(each) and each not in before]
    if unknown:
        comment = " ".join(f"No information found for '{each}'." for each in unknown)
        return StateReturn.failed(name, comment, warnings=warnings)
    if not newer:
        return StateReturn.unchanged(
            name, _up_to_date(names), package_state(names, before), warnings=warnings
        )
    current = [each for each in names if each not in newer]
    if ctx.test:
        changes: DataMap = {each: {"old": before.get(each, ""), "new": new} for each, new in newer.items()}
        comment = _listed("would be installed/upgraded", "are", newer, current, "\n")
        return StateReturn.planned(name, comment, changes, warnings=warnings)
    try:
        await ctx.call(
            "pkg.install", pkgs=[*newer], fromrepo=fromrepo, skip_verify=skip_verify,
            install_recommends=install_recommends, only_upgrade=only_upgrade,
        )  # fmt: skip
    except StateFailedError as error:
        changes = difference(before, await ctx.call("pkg.list_pkgs"))
        return failure(name, "An error was encountered while installing package(s)", error, changes, warnings)
    after: dict[str, str] = await ctx.call("pkg.list_pkgs")
    failed = [each for each, new in newer.items() if new not in after.get(each, "").split(",")]
    done = [each for each in newer if each not in failed]
    texts = [f"The following packages failed to update: {', '.join(sorted(failed))}"] if failed else []
    texts.append(_listed("were successfully installed/upgraded", "were", done, current, " "))
    return StateReturn(
        name=name,
        result=not failed,
        changes=difference(before, after),
        comment=" ".join(text for text in texts if text),
        new_state=package_state(names, after),
        old_state=package_state(names, before),
        warnings=warnings,
    )


async def _newer(ctx: StateContext, names: Sequence[str], fromrepo: str | None) -> dict[str, str]:
    versions = await ctx.call("pkg.latest_version", *names, fromrepo=fromrepo)
    by_name: dict[str, str] = {names[0]: versions} if isinstance(versions, str) else versions
    return {name: version for name, version in by_name.items() if version}


def _up_to_date(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"Package {names[0]} is already up-to-date"
    return f"All packages are up-to-date ({', '.join(sorted(names))})."


def _listed(
    verb: str, already: str, done: Mapping[str, str] | Sequence[str], current: Sequence[str], between: str
) -> str:
    texts = [f"The following packages {verb}: {', '.join(sorted(done))}"] if done else []
    if current:
        texts.append(f"The following packages {already} already up-to-date: {', '.join(sorted(current))}")
    return between.join(texts)
