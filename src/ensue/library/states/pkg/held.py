"""`pkg.held` and `pkg.unheld`: exclude packages from upgrades, or include them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.requested import KNOWN, OUTDATED, wanted_packages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*KNOWN, outdated=OUTDATED)
async def held(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: list[str | dict[str, Any]] | None = None,
    replace: bool = False,
    **kwargs: Any,
) -> StateReturn:
    """Hold packages: upgrades leave them alone.

    Args:
        version: accepted, as in Salt, without effect: a package is held in its present version.
        replace: unhold all other packages.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        nginx:
          pkg.held

    Returns:
        `changes` has the result of `pkg.hold` by package.

    Raises:
        NotAvailableError: the target's packages cannot be held.
        StateFailedError: `pkgs` is not a list.
    """
    del version
    requested = list(wanted_packages(name, pkgs))
    there: list[str] = await ctx.call("pkg.list_holds")
    waiting = [each for each in requested if each not in there]
    others = [each for each in there if each not in requested] if replace else []
    texts = [f"The following package would be held: {each}" for each in waiting]
    texts += [f"The following package would be unheld: {each}" for each in others]
    if ctx.test or not texts:
        return _settled(name, requested, texts, test=ctx.test)
    held_now: dict[str, DataMap] = await ctx.call("pkg.hold", pkgs=waiting)
    let_go: dict[str, DataMap] = await ctx.call("pkg.unhold", pkgs=others)
    comments = [
        f"Package {each} {'is now being held' if outcome['result'] else 'was not held'}"
        for each, outcome in held_now.items()
    ]
    comments += [str(outcome["comment"]) for outcome in let_go.values()]
    return _done(name, requested, {**held_now, **let_go}, comments)


@also_takes(*KNOWN, outdated=OUTDATED)
async def unheld(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: list[str | dict[str, Any]] | None = None,
    all: bool = False,  # noqa: A002 (Salt's argument)
    **kwargs: Any,
) -> StateReturn:
    """Unhold packages: upgrades include them again.

    Args:
        version: accepted, as in Salt, without effect.
        all: unhold every held package.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        nginx:
          pkg.unheld

    Returns:
        `changes` has the result of `pkg.unhold` by package.

    Raises:
        NotAvailableError: the target's packages cannot be held.
        StateFailedError: `pkgs` is not a list.
    """
    del version
    there: list[str] = await ctx.call("pkg.list_holds")
    requested = there if all else list(wanted_packages(name, pkgs))
    waiting = [each for each in there if each in requested]
    texts = [f"The following package would be unheld: {each}" for each in waiting]
    if ctx.test or not texts:
        return _settled(name, requested, texts, test=ctx.test)
    let_go: dict[str, DataMap] = await ctx.call("pkg.unhold", pkgs=waiting)
    return _done(name, requested, let_go, [str(outcome["comment"]) for outcome in let_go.values()])


async def settle_hold(
    ctx: StateContext, names: Sequence[str], *, hold: bool | None
) -> tuple[DataMap, list[str], bool | None]:
    """Hold or unhold the packages of a state that installs them.

    Args:
        names: the packages.
        hold: whether to hold them; None leaves them alone.

    Returns:
        Changes by package, comments, and the result.
    """
    if hold is None:
        return {}, [], True
    there: list[str] = await ctx.call("pkg.list_holds")
    waiting = [each for each in names if (each in there) is not hold]
    outcomes: dict[str, DataMap] = await ctx.call("pkg.hold" if hold else "pkg.unhold", pkgs=waiting)
    changes: DataMap = {each: outcome["changes"] for each, outcome in outcomes.items() if outcome["changes"]}
    results = [outcome["result"] for outcome in outcomes.values()]
    result = False if False in results else None if None in results else True
    return changes, [str(outcome["comment"]) for outcome in outcomes.values()], result


def _settled(name: str, requested: Sequence[str], texts: Sequence[str], *, test: bool) -> StateReturn:
    comment = "\n".join(texts) or "No changes made"
    if test and texts:
        return StateReturn.planned(name, comment)
    return StateReturn.unchanged(name, comment, {"packages": [*requested]})


def _done(
    name: str, requested: Sequence[str], outcomes: dict[str, DataMap], comments: Sequence[str]
) -> StateReturn:
    changes: DataMap = {each: outcome for each, outcome in outcomes.items() if outcome["changes"]}
    if not all(outcome["result"] for outcome in outcomes.values()):
        return StateReturn.failed(name, "\n".join(comments), changes)
    return StateReturn.changed(name, "\n".join(comments), changes, {"packages": [*requested]})
