"""Advisories: named sets of updates, which only the repositories of dnf have.

Source: Salt's execution module `pkg` (yumpkg), 3008: names and return values; the output of dnf 4.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.package_versions import difference
from ensue.library.modules._programs import must
from ensue.library.modules.pkg.downloading import list_downloaded
from ensue.library.modules.pkg.groups import check_dnf
from ensue.library.modules.pkg.queries import list_pkgs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_LINE: Final = re.compile(r"(?P<mark>i)?\s*(?P<id>\S+)\s+(?P<severity>\S+)\s+(?P<package>\S+)\Z")


async def list_patches(ctx: FunctionContext, **kwargs: Any) -> DataMap:
    """Return all advisories of the repositories that concern installed packages.

    Returns:
        By id: `installed`, and `summary`, the packages in the version that the advisory has.

    Raises:
        NotAvailableError: the target's package manager has no advisories.
    """
    await check_dnf(ctx, "list_patches")
    listed = await must(ctx, "dnf", "-q", "updateinfo", "list", "--all", what="list advisories")
    advisories: dict[str, Any] = {}
    for line in listed.stdout.splitlines():
        match = _LINE.match(line)
        if match:
            entry = advisories.setdefault(match["id"], {"installed": True, "summary": []})
            entry["summary"].append(match["package"])
            entry["installed"] = entry["installed"] and match["mark"] is not None
    return advisories


async def list_installed_patches(ctx: FunctionContext, **kwargs: Any) -> DataMap:
    """Return the advisories whose packages are all installed, in the form of `list_patches`."""
    advisories: dict[str, Any] = await list_patches(ctx, **kwargs)
    return {each: entry for each, entry in advisories.items() if entry["installed"]}


async def install_patches(
    ctx: FunctionContext, advisory_ids: Sequence[str], downloadonly: bool = False, **kwargs: Any
) -> DataMap:
    """Install what advisories have; a part of `pkg.install` in Salt.

    Args:
        advisory_ids: the advisories.
        downloadonly: only fetch their packages.

    Example:
        ensue call '*' pkg.install_patches RHSA-2026:1234

    Returns:
        `{name: {old, new}}` for all packages that changed, or were fetched.

    Raises:
        NotAvailableError: the target's package manager has no advisories.
        StateFailedError: an advisory does not exist, or dnf fails.
    """
    known = await list_patches(ctx)
    if unknown := [each for each in advisory_ids if each not in known]:
        raise StateFailedError(f'Advisory id "{unknown[0]}" not found')
    before = await _versions(ctx, downloadonly=downloadonly)
    flags = [f"--advisory={each}" for each in advisory_ids] + (["--downloadonly"] if downloadonly else [])
    await must(ctx, "dnf", "-y", "-q", "update", *flags, what="install advisories", is_followed=True)
    return difference(before, await _versions(ctx, downloadonly=downloadonly))


async def _versions(ctx: FunctionContext, *, downloadonly: bool) -> dict[str, str]:
    if not downloadonly:
        return await list_pkgs(ctx)
    return {name: ",".join(sorted(each)) for name, each in (await list_downloaded(ctx)).items()}
