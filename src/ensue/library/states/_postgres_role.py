"""Manages roles of PostgreSQL, for the state modules `postgres_user` and `postgres_group`.

Source: Salt's state modules `postgres_user` and `postgres_group`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

FLAGS: Final = ("createdb", "inherit", "login", "createroles", "replication", "superuser")
"""The attributes of a role that are on or off."""


class RequestedRole(msgspec.Struct, frozen=True, kw_only=True):
    """A requested role.

    Args:
        kind: `user` or `group`.
        flags: its attributes that are on or off; others are left alone.
        password: its password; None leaves it.
        default_password: the password of a new role.
        refresh_password: set the password without reading the present one, which only a superuser may read.
        encrypted: how the password is stored: `md5` or true, `scram-sha-256`, or false for unchanged; None:
            as the server is set to.
        valid_until: when the password expires.
        groups: groups that it must be in.
    """

    kind: str
    flags: dict[str, bool]
    password: str | None = None
    default_password: str | None = None
    refresh_password: bool = False
    encrypted: bool | str | None = None
    valid_until: str | None = None
    groups: tuple[str, ...] | None = None


async def role_present(
    ctx: StateContext, name: str, requested: RequestedRole, server: dict[str, Any]
) -> StateReturn:
    """Create a role, or change its attributes.

    Args:
        name: its name.
        requested: the requested role.
        server: arguments of execution functions that locate the server.

    Returns:
        `changes` has the role, with `Present` or what changed; `new_state` has the result of
        `postgres.role_get`.

    Raises:
        StateFailedError: the server reports an error.
    """
    what = requested.kind.capitalize()
    ctx.masker.add(*(str(each) for each in (requested.password, requested.default_password) if each))
    role: DataMap | None = await ctx.call("postgres.role_get", name, **server)
    update = await _differences(ctx, name, requested, role, server) if role is not None else {}
    if role is not None and not update:
        return StateReturn.unchanged(name, f"{what} {name} is already present", _state(name, role))
    verb = "create" if role is None else "update"
    changes: DataMap = {name: "Present" if role is None else update}
    before: DataMap = _state(name, role) if role is not None else {"name": name, "exists": False}
    if ctx.test:
        comment = f"{what} {name} is set to be {verb}d"
        return StateReturn.planned(name, comment, changes, old_state=before)
    options: dict[str, Any] = {flag: requested.flags[flag] for flag in requested.flags}
    password = requested.password
    if role is None and password is None:
        password = requested.default_password
    if role is None or "password" in update:
        options |= {"rolepassword": password, "encrypted": requested.encrypted}
    options |= {"valid_until": requested.valid_until, "groups": requested.groups}
    await ctx.call(f"postgres.{requested.kind}_{verb}", name, **options, **server)
    now: DataMap | None = await ctx.call("postgres.role_get", name, **server)
    if now is None:
        raise StateFailedError(f"Failed to {verb} {requested.kind} {name}: it does not exist on the server")
    return StateReturn.changed(
        name,
        f"The {requested.kind} {name} has been {verb}d",
        changes,
        _state(name, now),
        old_state=before,
    )


async def _differences(
    ctx: StateContext, name: str, requested: RequestedRole, role: DataMap, server: dict[str, Any]
) -> DataMap:
    update: DataMap = {
        flag: requested.flags[flag]
        for flag in FLAGS
        if flag in requested.flags and role[flag] is not requested.flags[flag]
    }
    if requested.password is not None and (
        requested.refresh_password
        or not await ctx.call(
            "postgres.has_password", name, requested.password, encrypted=requested.encrypted, **server
        )
    ):
        update["password"] = True
    if requested.valid_until is not None and not await ctx.call(
        "postgres.is_valid_until", name, requested.valid_until, **server
    ):
        update["valid_until"] = requested.valid_until
    groups_held = role["groups"]
    missing: list[Data] = [
        group
        for group in requested.groups or ()
        if not isinstance(groups_held, list) or group not in groups_held
    ]
    if missing:
        update["groups"] = missing
    return update


def _state(name: str, role: DataMap) -> DataMap:
    return {"name": name, **role}


def names_of(groups: str | list[str] | None) -> tuple[str, ...] | None:
    """Read the argument `groups`, a list or a text with commas; None if there are none."""
    if groups is None:
        return None
    listed = groups if is_list(groups) else str(groups).split(",")
    return tuple(str(each).strip() for each in listed)
