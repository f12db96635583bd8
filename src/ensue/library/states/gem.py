"""State module `gem`: packages of Ruby.

Source: Salt's state module `gem`, 3007: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


_INSTALL: Final = ("pre_releases", "proxy", "rdoc", "ri", "ruby", "runas", "source")


@also_takes(*_INSTALL)
async def installed(
    ctx: StateContext,
    name: str,
    *,
    user: str | None = None,
    version: str | float | None = None,
    gem_bin: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Install a gem.

    Args:
        name: the gem.
        user: user who runs gem on the target.
        version: its version; by default any.
        gem_bin: path of the program `gem`.
        **kwargs: `rdoc`, `ri`, `pre_releases`, `proxy`, `source`.

    Example:
        bundler:
          gem.installed:
            - version: 2.5.6

    Returns:
        `changes` has the gem with `Installed`.

    Raises:
        StateFailedError: gem failed.
    """
    requested = None if version is None else str(version)
    try:
        before = await _versions(ctx, name, gem_bin, user)
    except StateFailedError as error:
        # In a plan, an earlier state may be about to install gem.
        return StateReturn(name=name, result=None if ctx.test else False, comment=str(error))
    if before and (requested is None or requested in before):
        return StateReturn.unchanged(name, "Gem is already installed.", _state(name, before))
    if ctx.test:
        return StateReturn.planned(name, f"The gem {name} would have been installed")
    try:
        await ctx.call("gem.install", name, gem_bin=gem_bin, runas=user, version=requested, **kwargs)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Could not install gem. {error}")
    after = await _versions(ctx, name, gem_bin, user)
    comment = "Gem was successfully installed"
    return StateReturn.changed(name, comment, {name: "Installed"}, _state(name, after))


@also_takes(*_INSTALL)
async def removed(
    ctx: StateContext, name: str, *, user: str | None = None, gem_bin: str | None = None, **kwargs: Any
) -> StateReturn:
    """Remove all versions of a gem.

    Args:
        name: the gem.
        user: user who runs gem on the target.
        gem_bin: path of the program `gem`.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        bundler:
          gem.removed

    Returns:
        `changes` has the gem with `Removed`.

    Raises:
        StateFailedError: gem failed.
    """
    gone: DataMap = {"name": name, "versions": [], "exists": False}
    try:
        there = await _versions(ctx, name, gem_bin, user)
    except StateFailedError as error:
        return StateReturn(name=name, result=None if ctx.test else False, comment=str(error))
    if not there:
        return StateReturn.unchanged(name, "Gem is not installed.", gone)
    if ctx.test:
        return StateReturn.planned(name, f"The gem {name} would have been removed")
    await ctx.call("gem.uninstall", name, gem_bin=gem_bin, runas=user)
    return StateReturn.changed(name, "Gem was successfully removed.", {name: "Removed"}, gone)


async def _versions(ctx: StateContext, name: str, gem_bin: str | None, user: str | None) -> list[str]:
    gems: dict[str, list[str]] = await ctx.call("gem.list", name, gem_bin=gem_bin, runas=user)
    return gems.get(name, [])


def _state(name: str, versions: list[str]) -> DataMap:
    return {"name": name, "versions": [*versions]}


FUNCTIONS: Final = placed(by_name(installed, removed), "gem_bin", "user")
ABSENT: Final = ("removed",)
