"""`user.absent`: removes a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def absent(
    ctx: StateContext, name: str, purge: bool = False, force: bool = False, local: bool = False
) -> StateReturn:
    """Remove a user.

    Args:
        name: the user.
        purge: also remove the home folder and mail of the user.
        force: also remove a user who is logged in.
        local: accepted, as in Salt, without effect.

    Example:
        alice:
          user.absent:
            - purge: true

    Returns:
        `changes` has the user and the groups that were removed with it; `new_state` has `name exists`.

    Raises:
        StateFailedError: the user could not be removed.
    """
    account: DataMap = await ctx.call("user.info", name)
    new_state: DataMap = {"name": name, "exists": False}
    if not account:
        return StateReturn.unchanged(name, f"User {name} is not present", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"User {name} set for removal")
    await ctx.call("user.delete", name, remove=purge, force=force)
    changes: DataMap = {}
    groups = account["groups"]
    for group in groups if isinstance(groups, list) else []:
        if not await ctx.call("group.info", group):
            changes[f"{group!s} group"] = "removed"
    changes[name] = "removed"
    return StateReturn.changed(name, f"Removed user {name}", changes, new_state, old_state=account)
