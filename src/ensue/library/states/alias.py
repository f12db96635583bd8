"""State module `alias`: mail aliases of the target.

Source: Salt's state module `alias`, 3008: results, changes and comments. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(ctx: StateContext, name: str, target: str | list[str]) -> StateReturn:
    """Set a mail alias.

    Args:
        name: the local name.
        target: the address, or a list of addresses.

    Example:
        postmaster:
          alias.present:
            - target: [root, admin@example.com]

    Returns:
        `changes` has `alias`; `new_state` has `name` and `target`.

    Raises:
        StateFailedError: the name or an address is invalid.
    """
    shown = ", ".join(map(str, target)) if isinstance(target, list) else str(target)
    new_state: DataMap = {"name": name, "target": shown}
    if await ctx.call("aliases.has_target", name, target):
        return StateReturn.unchanged(name, f"Alias {name} already present", new_state)
    before = _state(name, await ctx.call("aliases.get_target", name))
    if ctx.test:
        comment = f"Alias {name} -> {target} is set to be added"
        return StateReturn.planned(name, comment, {"alias": name}, old_state=before)
    await ctx.call("aliases.set_target", name, target)
    return StateReturn.changed(
        name,
        f"Set email alias {name} -> {target}",
        {"alias": name},
        new_state,
        old_state=before,
    )


async def absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a mail alias.

    Args:
        name: the local name.

    Example:
        postmaster:
          alias.absent

    Returns:
        `changes` has `alias`; `new_state` has `name exists`.
    """
    before = await ctx.call("aliases.get_target", name)
    if not before:
        return StateReturn.unchanged(name, f"Alias {name} already absent", _state(name, ""))
    if ctx.test:
        return StateReturn.planned(name, f"Alias {name} is set to be removed", {"alias": name})
    await ctx.call("aliases.rm_alias", name)
    return StateReturn.changed(
        name, f"Removed alias {name}", {"alias": name}, _state(name, ""), old_state=_state(name, before)
    )


def _state(name: str, target: str) -> DataMap:
    return {"name": name, "target": target} if target else {"name": name, "exists": False}


FUNCTIONS: Final = by_name(absent, present, make_only=())
