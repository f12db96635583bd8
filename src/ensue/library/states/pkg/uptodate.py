"""`pkg.uptodate`: upgrades all packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure
from ensue.library.states.pkg.requested import KNOWN, OUTDATED

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def uptodate(
    ctx: StateContext,
    name: str,
    refresh: bool = False,
    pkgs: list[str] | None = None,
    *,
    dist_upgrade: bool = True,
    **kwargs: Any,
) -> StateReturn:
    """Upgrade all packages.

    Args:
        name: any name.
        refresh: fetch the package lists first; never in a plan.
        pkgs: upgrade only these packages.
        dist_upgrade: allow installing and removing other packages (apt).
        **kwargs: accepted, as in Salt, without effect.

    Example:
        all:
          pkg.uptodate:
            - refresh: true

    Returns:
        `changes` has `{package: {old, new}}`.

    Raises:
        NotAvailableError: the target has no package manager that ensue knows.
        StateFailedError: the lists cannot be fetched.
    """
    newer: dict[str, str] = await ctx.call(
        "pkg.list_upgrades", refresh=refresh and not ctx.test, dist_upgrade=dist_upgrade
    )
    waiting = {each: new for each, new in newer.items() if pkgs is None or each in pkgs}
    if not waiting:
        return StateReturn.unchanged(name, "System is already up-to-date", {"upgrades": {}})
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    if ctx.test:
        changes: DataMap = {each: {"old": before.get(each, ""), "new": new} for each, new in waiting.items()}
        return StateReturn.planned(name, "System update will be performed", changes)
    try:
        if pkgs is None:
            done: DataMap = await ctx.call("pkg.upgrade", refresh=False, dist_upgrade=dist_upgrade)
        else:
            done = await ctx.call("pkg.install", pkgs=[*waiting], only_upgrade=True)
    except StateFailedError as error:
        return failure(name, "An error was encountered while updating packages", error, {}, ())
    left = sorted(each for each in waiting if pkgs is not None and each not in done)
    if left:
        comment = f"The following package(s) failed to update: {', '.join(left)}"
        return StateReturn.failed(name, comment, done)
    return StateReturn.changed(name, "Upgrade ran successfully", done, {"upgrades": {}})
