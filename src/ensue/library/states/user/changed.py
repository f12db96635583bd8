"""Adds a user, or changes the attributes that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.user.requested import AGEING, GECOS, REDACTED, WantedUser, differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_HOME_MODE: Final = 0o755


async def add(ctx: StateContext, user: WantedUser, options: Mapping[str, Any]) -> StateReturn:
    """Add a missing user.

    Args:
        user: the requested user.
        options: `gid unique system nologinit usergroup`, as in the SLS.

    Raises:
        StateFailedError: a program failed.
    """
    name = user.name
    try:
        await ctx.call(
            "user.add", name, uid=user.uid, groups=user.all_groups, home=user.home, shell=user.shell,
            createhome=user.createhome, **user.comment, **options,
        )  # fmt: skip
    except StateFailedError as error:
        raise StateFailedError(f"Failed to create new user {name}: {error}") from error
    changes: DataMap = dict(await ctx.call("user.info", name))
    new_state = dict(changes)
    if user.password and not user.empty_password:
        await ctx.call("shadow.set_password", name, user.password)
        changes["password"] = REDACTED
    elif user.empty_password:
        await ctx.call("shadow.del_password", name)
        changes["password"] = ""
    if user.password_lock:
        await ctx.call("shadow.lock_password", name)
    for argument, value in user.ageing.items():
        await ctx.call(AGEING[argument][1], name, value)
        changes[argument] = value
    comment = f"New user {name} created"
    return StateReturn.changed(name, comment, changes, new_state, old_state={"name": name, "exists": False})


async def change(
    ctx: StateContext, user: WantedUser, account: DataMap, changes: DataMap, *, persist_home: bool
) -> StateReturn:
    """Change an existing user.

    Args:
        user: the requested user.
        account: the present user.
        changes: the result of `differences`.
        persist_home: move the content of a changed home folder.

    Raises:
        StateFailedError: a program failed.
    """
    name = user.name
    before = await _shadow(ctx, user)
    await _change_password(ctx, name, changes)
    await _change_home(ctx, name, account, changes, persist_home=persist_home)
    for key in ("uid", "gid", "shell", *GECOS):
        if key in changes:
            await ctx.call(f"user.ch{key}", name, changes[key])
    if "groups" in changes:
        await ctx.call("user.chgroups", name, changes["groups"], append=not user.remove_groups)
    now: DataMap = await ctx.call("user.info", name)
    made = {key: value for key, value in now.items() if value != account[key]}
    made |= _shadow_changes(before, await _shadow(ctx, user))
    if "homeDoesNotExist" in changes and not made:
        made["homeDoesNotExist"] = changes["homeDoesNotExist"]
    left = await differences(ctx, user, now)
    if left:
        shown = ", ".join(key for key in left)
        comment = f"These values could not be changed: {shown}"
        return StateReturn(name=name, result=False, changes=made, comment=comment, old_state=account)
    return StateReturn.changed(name, f"Updated user {name}", made, now, old_state=account)


async def _change_password(ctx: StateContext, name: str, changes: DataMap) -> None:
    if "passwd" in changes:
        await ctx.call("shadow.set_password", name, changes["passwd"])
    if changes.get("empty_password"):
        await ctx.call("shadow.del_password", name)
    if "password_lock" in changes:
        await ctx.call("shadow.lock_password" if changes["password_lock"] else "shadow.unlock_password", name)
    for argument, (_, function) in AGEING.items():
        if argument in changes:
            await ctx.call(function, name, changes[argument])


async def _change_home(
    ctx: StateContext, name: str, account: DataMap, changes: DataMap, *, persist_home: bool
) -> None:
    if "home" in changes:
        await ctx.call("user.chhome", name, changes["home"], persist=persist_home)
    home = changes.get("homeDoesNotExist")
    if home is None or await ctx.connection.stat(str(home)) is not None:
        return
    await ctx.connection.make_directory(str(home), mode=_HOME_MODE, parents=True)
    await ctx.connection.set_owner(str(home), user=str(account["uid"]), group=str(account["gid"]))


async def _shadow(ctx: StateContext, user: WantedUser) -> dict[str, Data]:
    cares = user.password or user.empty_password or user.ageing or user.password_lock is not None
    return await ctx.call("shadow.info", user.name) if cares else {}


def _shadow_changes(before: Mapping[str, Data], after: Mapping[str, Data]) -> DataMap:
    return {
        key: REDACTED if key == "passwd" else value for key, value in after.items() if value != before[key]
    }
