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


async def add(ctx: StateContext, wanted: WantedUser, options: Mapping[str, Any]) -> StateReturn:
    """Add a missing user.

    Args:
        wanted: the requested user.
        options: `gid unique system nologinit usergroup`, as in the SLS.

    Raises:
        StateFailedError: a program failed.
    """
    name = wanted.name
    try:
        await ctx.call(
            "user.add", name, uid=wanted.uid, groups=wanted.all_groups, home=wanted.home, shell=wanted.shell,
            createhome=wanted.createhome, **wanted.comment, **options,
        )  # fmt: skip
    except StateFailedError as error:
        raise StateFailedError(f"Failed to create new user {name}: {error}") from error
    changes: DataMap = dict(await ctx.call("user.info", name))
    new_state = dict(changes)
    if wanted.password and not wanted.empty_password:
        await ctx.call("shadow.set_password", name, wanted.password)
        changes["password"] = REDACTED
    elif wanted.empty_password:
        await ctx.call("shadow.del_password", name)
        changes["password"] = ""
    if wanted.password_lock:
        await ctx.call("shadow.lock_password", name)
    for argument, value in wanted.ageing.items():
        await ctx.call(AGEING[argument][1], name, value)
        changes[argument] = value
    comment = f"New user {name} created"
    return StateReturn.changed(name, comment, changes, new_state, old_state={"name": name, "exists": False})


async def change(
    ctx: StateContext, wanted: WantedUser, found: DataMap, changes: DataMap, *, persist_home: bool
) -> StateReturn:
    """Change an existing user.

    Args:
        wanted: the requested user.
        found: the present user.
        changes: the result of `differences`.
        persist_home: move the content of a changed home folder.

    Raises:
        StateFailedError: a program failed.
    """
    name = wanted.name
    before = await _shadow(ctx, wanted)
    await _change_password(ctx, name, changes)
    await _change_home(ctx, name, found, changes, persist_home=persist_home)
    for key in ("uid", "gid", "shell", *GECOS):
        if key in changes:
            await ctx.call(f"user.ch{key}", name, changes[key])
    if "groups" in changes:
        await ctx.call("user.chgroups", name, changes["groups"], append=not wanted.remove_groups)
    now: DataMap = await ctx.call("user.info", name)
    made = {key: value for key, value in now.items() if value != found[key]}
    made |= _shadow_changes(before, await _shadow(ctx, wanted))
    if "homeDoesNotExist" in changes and not made:
        made["homeDoesNotExist"] = changes["homeDoesNotExist"]
    left = await differences(ctx, wanted, now)
    if left:
        shown = ", ".join(key for key in left)
        comment = f"These values could not be changed: {shown}"
        return StateReturn(name=name, result=False, changes=made, comment=comment, old_state=found)
    return StateReturn.changed(name, f"Updated user {name}", made, now, old_state=found)


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
    ctx: StateContext, name: str, found: DataMap, changes: DataMap, *, persist_home: bool
) -> None:
    if "home" in changes:
        await ctx.call("user.chhome", name, changes["home"], persist=persist_home)
    home = changes.get("homeDoesNotExist")
    if home is None or await ctx.connection.stat(str(home)) is not None:
        return
    await ctx.connection.make_directory(str(home), mode=_HOME_MODE, parents=True)
    await ctx.connection.set_owner(str(home), user=str(found["uid"]), group=str(found["gid"]))


async def _shadow(ctx: StateContext, wanted: WantedUser) -> dict[str, Data]:
    cares = wanted.password or wanted.empty_password or wanted.ageing or wanted.password_lock is not None
    return await ctx.call("shadow.info", wanted.name) if cares else {}


def _shadow_changes(before: Mapping[str, Data], after: Mapping[str, Data]) -> DataMap:
    return {
        key: REDACTED if key == "passwd" else value for key, value in after.items() if value != before[key]
    }
