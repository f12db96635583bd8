"""`pkg.installed`: packages, optionally in a given version."""

from __future__ import annotations

import contextlib
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.package_versions import difference
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.held import settle_hold
from ensue.library.states.pkg.outcome import failure, package_state
from ensue.library.states.pkg.package_lists import refresh_lists, refreshed_again
from ensue.library.states.pkg.requested import (
    KNOWN,
    LATEST,
    OUTDATED,
    fits,
    is_exact,
    remarks,
    wanted_packages,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def installed(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    refresh: bool | None = None,
    fromrepo: str | None = None,
    skip_verify: bool = False,
    pkgs: list[str | dict[str, Any]] | None = None,
    install_recommends: bool | None = None,
    only_upgrade: bool = False,
    reinstall: bool = False,
    sources: list[dict[str, str]] | None = None,
    hold: bool | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Install packages. The version of an installed package is changed only if the SLS names one.

    Args:
        version: a version, a glob (`2.*`), conditions (`>=1.0,<2`) or `latest`.
        refresh: fetch the package lists first; by default if they are old or lack a package, but at most
            once per run for each reason, until a repository is added.
        fromrepo: release (apt), repositories (dnf) or URL (apk) to install from.
        pkgs: several packages, each a name or `name: version`, installed with one command.
        install_recommends: also install recommended packages (apt).
        only_upgrade: do not install missing packages (apt).
        reinstall: install the packages even if they are installed already.
        sources: several packages from files, each `name: location` (`salt://`, `https://`, a path of the
            target).
        hold: hold the packages, or with false unhold them.

    Example:
        web:
          pkg.installed:
            - pkgs: [nginx, {openssl: '>=3.0'}]
            - refresh: true

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has the versions by package.

    Raises:
        StateFailedError: the arguments are invalid, or packages cannot be listed.
    """
    warnings = remarks("pkg.installed", kwargs)
    if sources and pkgs:
        raise StateFailedError('Only one of "pkgs" and "sources" is permitted.')
    requested = wanted_packages(name, [*chain(*sources)] if sources else pkgs, version)
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    provided = await _provided(ctx, requested, before)
    missing = {
        package: asked
        for package, asked in requested.items()
        if reinstall
        or (package not in provided and not await _is_there(ctx, package, before.get(package), asked))
    }
    there = [package for package in requested if package not in missing]
    if not missing:
        versions = before | dict.fromkeys(provided, "provided")
        done = _all_there(name, requested, versions, warnings)
        return await _with_hold(ctx, done, there, hold=hold)
    if ctx.test:
        changes = await _planned(ctx, missing, before, fromrepo)
        comment = _listed("would be", missing, there)
        planned = StateReturn.planned(name, comment, changes, warnings=warnings)
        return await _with_hold(ctx, planned, there, hold=hold)
    options = {
        "fromrepo": fromrepo, "skip_verify": skip_verify, "install_recommends": install_recommends,
        "only_upgrade": only_upgrade, "reinstall": reinstall,
    }  # fmt: skip
    try:
        if sources:
            resolved: dict[str, str | None] = dict(missing)
            files = [{each: source[each]} for source in sources for each in source if each in missing]
            await ctx.call("pkg.install", sources=files, **options)
        else:
            resolved = await _resolved(ctx, missing, fromrepo, refresh=refresh)
            asked_for = [{package: asked} for package, asked in resolved.items()]
            await ctx.call("pkg.install", pkgs=asked_for, **options)
    except StateFailedError as error:
        changes = difference(before, await ctx.call("pkg.list_pkgs"))
        return failure(name, "Problem encountered installing package(s)", error, changes, warnings)
    after: dict[str, str] = await ctx.call("pkg.list_pkgs")
    failed = [
        each
        for each, asked in resolved.items()
        if each in after and asked and not await fits(ctx, _newest(after[each]), asked)
    ]
    if sources:
        failed += [each for each in missing if each not in after]
    comment = _listed("were", [each for each in missing if each not in failed], there)
    if failed:
        comment = f"The following packages failed to install/update: {', '.join(failed)}\n{comment}".strip()
    done = StateReturn(
        name=name,
        result=not failed,
        changes=difference(before, after),
        comment=comment,
        new_state=package_state(
            requested, after | dict.fromkeys(await _provided(ctx, requested, after), "provided")
        ),
        old_state=package_state(requested, before),
        warnings=warnings,
    )
    return await _with_hold(ctx, done, [each for each in requested if each in after], hold=hold)


async def _provided(
    ctx: StateContext, requested: Mapping[str, str | None], versions: Mapping[str, str]
) -> list[str]:
    """Return the names that are not packages but provided by installed ones; they have no version.

    A name that is both counts as a package: apt, whose package `apt` provides `apt-transport-https`, still
    installs the package of that name.
    """
    names = [each for each, asked in requested.items() if each not in versions and asked is None]
    provided: list[str] = await ctx.call("pkg.list_provided", *names) if names else []
    packages: Mapping[str, Any] = {}
    if provided:
        # Without a repository that answers, nothing can be installed in place of what is provided.
        with contextlib.suppress(StateFailedError):
            packages = await ctx.call("pkg.list_repo_pkgs", *provided)
    return [each for each in provided if each not in packages]


async def _with_hold(
    ctx: StateContext, done: StateReturn, names: Sequence[str], *, hold: bool | None
) -> StateReturn:
    """Hold or unhold the installed packages, and add the changes to the result."""
    if hold is None or done.result is False:
        return done
    changes, texts, result = await settle_hold(ctx, names, hold=hold)
    if done.result is None:
        result = None if result is True else result
    return msgspec.structs.replace(
        done,
        result=result,
        # The changes of an installation stay as they are; the comment says that the package is held.
        changes={**changes, **done.changes},
        comment="\n".join([done.comment, *texts]).strip(),
        new_state=done.new_state if result else None,
    )


async def _is_there(ctx: StateContext, package: str, now: str | None, asked: str | None) -> bool:
    if now is None or asked is None:
        return now is not None
    if asked == LATEST:
        return not await ctx.call("pkg.latest_version", package)
    return any([await fits(ctx, each, asked) for each in now.split(",")])


def _newest(versions: str) -> str:
    return versions.rpartition(",")[2]


def _all_there(
    name: str, requested: Mapping[str, str | None], before: Mapping[str, str], warnings: tuple[str, ...]
) -> StateReturn:
    comment = "All specified packages are already installed"
    if any(requested.values()):
        comment += " and are at the desired version"
    return StateReturn.unchanged(name, comment, package_state(requested, before), warnings=warnings)


async def _planned(
    ctx: StateContext, missing: Mapping[str, str | None], before: Mapping[str, str], fromrepo: str | None
) -> DataMap:
    """Return the changes as far as they are known; an earlier state may be about to add a repository."""
    offers: dict[str, list[str]] = await ctx.call("pkg.list_repo_pkgs", *missing, fromrepo=fromrepo)
    changes: DataMap = {}
    for package, asked in missing.items():
        version = await _choice(ctx, offers.get(package, []), asked)
        new = version or (asked if asked and is_exact(asked) else None) or "installed"
        changes[package] = {"old": before.get(package, ""), "new": new}
    return changes


async def _choice(ctx: StateContext, offered: Sequence[str], asked: str | None) -> str | None:
    for version in offered:
        if asked is None or asked == LATEST or await fits(ctx, version, asked):
            return version
    return None


async def _resolved(
    ctx: StateContext, missing: Mapping[str, str | None], fromrepo: str | None, *, refresh: bool | None
) -> dict[str, str | None]:
    """Return the version to install of each package: an available one, or None for the default."""
    await refresh_lists(ctx, refresh=refresh)
    candidates, absent = await _chosen(ctx, missing, fromrepo)
    if absent and refresh is None and await refreshed_again(ctx):
        candidates, absent = await _chosen(ctx, missing, fromrepo)
    unmet = [each for each in absent if missing[each]]
    if unmet:
        lines = [f"Version '{missing[each]}' for '{each}' was not found" for each in unmet]
        raise StateFailedError("\n".join(lines))
    return candidates


async def _chosen(
    ctx: StateContext, missing: Mapping[str, str | None], fromrepo: str | None
) -> tuple[dict[str, str | None], list[str]]:
    offers: dict[str, list[str]] = await ctx.call("pkg.list_repo_pkgs", *missing, fromrepo=fromrepo)
    candidates: dict[str, str | None] = {}
    absent: list[str] = []
    for package, asked in missing.items():
        choice = await _choice(ctx, offers.get(package, []), asked)
        candidates[package] = choice if asked else None
        if choice is None:
            absent.append(package)
    return candidates, absent


def _listed(verb: str, done: Mapping[str, Any] | Sequence[str], there: Sequence[str]) -> str:
    lines = [f"The following packages {verb} installed/updated: {', '.join(sorted(done))}"] if done else []
    if there:
        already = "are" if verb == "would be" else "were"
        lines.append(f"The following packages {already} already installed: {', '.join(sorted(there))}")
    return "\n".join(lines)
