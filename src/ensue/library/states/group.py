"""State module `group`: the target's groups and their members.

Source: Salt's state module `group`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


async def present(
    ctx: StateContext,
    name: str,
    *,
    gid: int | str | None = None,
    system: bool = False,
    addusers: list[str] | None = None,
    delusers: list[str] | None = None,
    members: list[str] | None = None,
    non_unique: bool = False,
    local: bool = False,
) -> StateReturn:
    """Create a group, or change its id or members.

    Args:
        name: the group.
        gid: group id.
        system: give a new group an id of the system range.
        addusers: users that must be members.
        delusers: users that must not be members.
        members: the complete list of members.
        non_unique: allow a group id that another group has.
        local: accepted, as in Salt, without effect.

    Example:
        staff:
          group.present:
            - gid: 2000
            - addusers: [alice, bob]

    Returns:
        `changes` has the new group, or `Final` if an existing group was changed, as in Salt, or `Failed` with
        what could not be changed; `new_state` has `name passwd gid members`.

    Raises:
        StateFailedError: the arguments contradict each other, or the group cannot be created.
    """
    _check(addusers, delusers, members)
    wanted_gid = _number(gid)
    group: DataMap = await ctx.call("group.info", name)
    if not group:
        return await _added(
            ctx, name, wanted_gid, addusers or members or [], system=system, non_unique=non_unique
        )
    changes = _differences(group, wanted_gid, addusers, delusers, members)
    if not changes:
        return StateReturn.unchanged(name, f"Group {name} is present and up to date", group)
    listed = "".join(f"{key}: {value!s}\n" for key, value in changes.items())
    comment = f"The following group attributes are set to be changed:\n{listed}"
    if ctx.test:
        planned = StateReturn.planned(name, comment, old_state=group)
        return await _with_members(ctx, planned, addusers or members or [])
    refusals = await _change(ctx, name, changes, non_unique=non_unique)
    new_state = await ctx.call("group.info", name)
    if left := _differences(new_state, wanted_gid, addusers, delusers, members):
        return _incomplete(name, f"{comment}Some changes could not be applied", left, refusals)
    return StateReturn.changed(
        name, comment, {"Final": "All changes applied successfully"}, new_state, old_state=group
    )


async def absent(ctx: StateContext, name: str, local: bool = False) -> StateReturn:
    """Remove a group.

    Args:
        name: the group.
        local: accepted, as in Salt, without effect.

    Example:
        staff:
          group.absent

    Returns:
        `changes` has the group's name; `new_state` has `name exists`.

    Raises:
        StateFailedError: the group could not be removed, for example because it is the primary group of a
            user.
    """
    group = await ctx.call("group.info", name)
    absent_state: DataMap = {"name": name, "exists": False}
    if not group:
        return StateReturn.unchanged(name, "Group not present", absent_state)
    if ctx.test:
        return StateReturn.planned(name, f"Group {name} is set for removal")
    await ctx.call("group.delete", name)
    return StateReturn.changed(name, f"Removed group {name}", {name: ""}, absent_state, old_state=group)


def _check(addusers: list[str] | None, delusers: list[str] | None, members: list[str] | None) -> None:
    if members is not None and (addusers is not None or delusers is not None):
        raise StateFailedError(
            'Argument "members" is not compatible with "addusers" and "delusers": give one or the other'
        )
    both = sorted(set(addusers or []) & set(delusers or []))
    if both:
        raise StateFailedError(
            f"Error. Same user(s) can not be added and deleted simultaneously: {', '.join(both)}"
        )


def _number(gid: int | str | None) -> int | None:
    if gid is None or gid == "":
        return None
    if isinstance(gid, bool) or not str(gid).isdecimal():
        raise StateFailedError(f"Invalid gid: {gid!r} is not a number")
    return int(gid)


def _differences(
    group: DataMap,
    gid: int | None,
    addusers: list[str] | None,
    delusers: list[str] | None,
    members: list[str] | None,
) -> DataMap:
    now = group["members"] if isinstance(group["members"], list) else []
    changes: DataMap = {}
    if gid is not None and group["gid"] != gid:
        changes["gid"] = gid
    if members is not None and set(members) != set(now):
        changes["members"] = [*members]
    missing = [user for user in addusers or [] if user not in now]
    if missing:
        changes["addusers"] = [*missing]
    extra = [user for user in delusers or [] if user in now]
    if extra:
        changes["delusers"] = [*extra]
    return changes


async def _change(ctx: StateContext, name: str, changes: DataMap, *, non_unique: bool) -> list[str]:
    """Apply each change, and return why some could not be applied."""
    calls: list[tuple[str, Data, DataMap]] = []
    if "gid" in changes:
        calls.append(("group.chgid", changes["gid"], {"non_unique": non_unique}))
    if "members" in changes:
        calls.append(("group.members", changes["members"], {}))
    for key, function in (("addusers", "group.adduser"), ("delusers", "group.deluser")):
        users = changes.get(key)
        calls += [(function, user, {}) for user in users] if isinstance(users, list) else []
    refusals: list[str] = []
    for function, value, options in calls:
        try:
            await ctx.call(function, name, value, **options)
        except StateFailedError as error:
            refusals.append(str(error))
    return refusals


def _incomplete(name: str, comment: str, left: DataMap, refusals: Sequence[str]) -> StateReturn:
    """Return the failure of a group that was created or changed in part; `left` is what could not be done."""
    return StateReturn.failed(name, "\n".join([comment, *refusals]), {"Failed": left})


async def _with_members(ctx: StateContext, planned: StateReturn, members: list[str]) -> StateReturn:
    """Return the plan with the members that the target does not have."""
    for member in members:
        planned = await with_accounts(ctx.connection, planned, user=member)
    return planned


async def _added(
    ctx: StateContext, name: str, gid: int | None, members: list[str], *, system: bool, non_unique: bool
) -> StateReturn:
    before: DataMap = {"name": name, "exists": False}
    if ctx.test:
        planned = StateReturn.planned(name, f"Group {name} set to be added", old_state=before)
        return await _with_members(ctx, planned, members)
    if gid is not None and not non_unique:
        await _refuse_taken_number(ctx, name, gid)
    await ctx.call("group.add", name, gid=gid, system=system, non_unique=non_unique)
    refusals = await _change(ctx, name, {"members": [*members]} if members else {}, non_unique=non_unique)
    created: DataMap = await ctx.call("group.info", name)
    if left := _differences(created, gid, None, None, members or None):
        comment = f"Group {name} has been created but, some changes could not be applied"
        return _incomplete(name, comment, left, refusals)
    return StateReturn.changed(name, f"New group {name} created", created, created, old_state=before)


async def _refuse_taken_number(ctx: StateContext, name: str, gid: int) -> None:
    for other in await ctx.call("group.getent"):
        if other["gid"] == gid:
            raise StateFailedError(
                f"Group {name} is not present but gid {gid} is already taken by group {other['name']}"
            )


FUNCTIONS: Final = by_name(absent, present, make_only=("name",))
