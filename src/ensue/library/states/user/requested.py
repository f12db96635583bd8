"""The requested user, and its differences from the present one.

This module changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

GECOS: Final = ("fullname", "roomnumber", "workphone", "homephone", "other")
"""The parts of a user's comment."""

AGEING: Final = {
    "date": ("lstchg", "shadow.set_date"),
    "mindays": ("min", "shadow.set_mindays"),
    "maxdays": ("max", "shadow.set_maxdays"),
    "inactdays": ("inact", "shadow.set_inactdays"),
    "warndays": ("warn", "shadow.set_warndays"),
    "expire": ("expire", "shadow.set_expire"),
}
"""Field of `shadow.info`, and the function that sets it, by argument."""

REDACTED: Final = "XXX-REDACTED-XXX"
"""Replaces a password in changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedUser:
    """A requested user; None leaves an attribute alone.

    Args:
        name: the user.
        uid: user id.
        gid: primary group, by number or name.
        groups: further groups, which must exist.
        optional_groups: the optional groups that exist.
        remove_groups: whether to remove it from all other groups.
        home: home folder.
        createhome: whether to create the home folder.
        shell: login shell.
        password: hash of the password.
        enforce_password: whether to set the password again if it was changed.
        empty_password: whether to allow login without a password.
        password_lock: whether to lock the password.
        comment: parts of the comment field.
        ageing: values of the arguments in `AGEING`.
    """

    name: str
    uid: int | None
    gid: int | str | None
    groups: Sequence[str] | None
    optional_groups: Sequence[str]
    remove_groups: bool
    home: str | None
    createhome: bool
    shell: str | None
    password: str | None
    enforce_password: bool
    empty_password: bool
    password_lock: bool | None
    comment: Mapping[str, str]
    ageing: Mapping[str, Any]

    @property
    def all_groups(self) -> list[str]:
        """Return the groups other than the primary one."""
        return sorted({*(self.groups or []), *self.optional_groups})


async def differences(ctx: StateContext, user: WantedUser, account: DataMap) -> DataMap:
    """Return the new values of attributes that differ, under Salt's names.

    Args:
        user: the requested user.
        account: the present user, as `user.info` describes it.
    """
    changes: DataMap = {}
    if user.uid is not None and account["uid"] != user.uid:
        changes["uid"] = user.uid
    if user.gid is not None and not await _is_group(ctx, user.gid, account["gid"]):
        changes["gid"] = user.gid
    groups = await _other_groups(ctx, user, account)
    if groups is not None:
        changes["groups"] = [*groups]
    changes |= await _home(ctx, user, account)
    if user.shell and account["shell"] != user.shell:
        changes["shell"] = user.shell
    changes |= await _password(ctx, user)
    changes |= {part: text for part, text in user.comment.items() if account[part] != text}
    return changes


def refuse_changed_numbers(
    changes: DataMap, account: DataMap, *, allow_uid_change: bool, allow_gid_change: bool
) -> None:
    """Refuse to change ids unless the SLS allows it, because files would keep the old id.

    Raises:
        StateFailedError: an id would change.
    """
    kept = [key for key, allowed in (("uid", allow_uid_change), ("gid", allow_gid_change)) if not allowed]
    faults = [
        f"- Changing {key} ({account[key]!s} -> {changes[key]!s}) not permitted, set allow_{key}_change to "
        "True to force this change. Note that this will not change file ownership."
        for key in kept
        if key in changes
    ]
    if faults:
        listed = "\n".join(faults)
        raise StateFailedError(
            f"Encountered error checking for needed changes. Additional info follows:\n\n{listed}"
        )


async def _is_group(ctx: StateContext, group: int | str, gid: object) -> bool:
    if str(group) == str(gid):
        return True
    described: DataMap = {} if str(group).isdecimal() else await ctx.call("group.info", str(group))
    return bool(described) and described["gid"] == gid


async def _other_groups(ctx: StateContext, user: WantedUser, account: DataMap) -> list[str] | None:
    """Return the groups to set, None if correct; ignores the primary group and that of the user's name."""
    if user.groups is None and not user.optional_groups:
        return None
    primary: str = await ctx.call("user.primary_group", user.name)
    listed = account["groups"] if isinstance(account["groups"], list) else []
    now = {str(group) for group in listed} - {primary}
    target = set(user.all_groups) - {primary}
    if user.name not in target:
        now -= {user.name}
    if not user.remove_groups:
        target |= now
    return None if now == target else sorted(target)


async def _home(ctx: StateContext, user: WantedUser, account: DataMap) -> DataMap:
    changes: DataMap = {}
    if user.home and account["home"] != user.home:
        changes["home"] = user.home
    home = user.home or str(account["home"])
    if user.createhome and home:
        there = await ctx.connection.stat(home, follow=True)
        if there is None or there.kind != "directory":
            changes["homeDoesNotExist"] = home
    return changes


async def _password(ctx: StateContext, user: WantedUser) -> DataMap:
    locked = user.password_lock
    if not (user.password or user.empty_password or user.ageing or locked is not None):
        return {}
    shadow: DataMap = await ctx.call("shadow.info", user.name)
    changes: DataMap = {}
    passwd = str(shadow["passwd"])
    if user.password and not user.empty_password:
        is_unset = passwd in {"!", "*", "", "!!"}
        now = passwd.removeprefix("!") if locked else passwd
        if (is_unset or user.enforce_password) and now != user.password:
            changes["passwd"] = user.password
    if user.empty_password and passwd:
        changes["empty_password"] = True
    if locked is not None and passwd.startswith("!") != locked:
        changes["password_lock"] = locked
    for argument, value in user.ageing.items():
        if shadow[AGEING[argument][0]] != value:
            changes[argument] = value
    return changes
