"""State module `postgres_group`: roles of a PostgreSQL server that other roles are in.

Source: Salt's state module `postgres_group`, 3008. In a plan changes are said, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.functions import also_takes
from ensue.states._postgres import SERVER, gone, server_of
from ensue.states._postgres_role import FLAGS, Wanted, names_of, role_present

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import StateContext
    from ensue.model.returns import StateReturn


@also_takes(*SERVER)
async def present(
    ctx: StateContext,
    name: str,
    *,
    createdb: bool | None = None,
    createroles: bool | None = None,
    encrypted: bool | str | None = None,
    superuser: bool | None = None,
    replication: bool | None = None,
    inherit: bool | None = None,
    password: str | None = None,
    refresh_password: bool | None = None,
    groups: str | list[str] | None = None,
    login: bool | None = None,
    **server: Any,
) -> StateReturn:
    """Have a group, which may not log in unless `login` says so.

    Args:
        ctx: the state's context.
        name: the role.
        createdb: it may create databases.
        createroles: it may create roles.
        encrypted: how its password is kept: `md5` or yes, `scram-sha-256`, no.
        superuser: it may all.
        replication: it may replicate.
        inherit: it has the rights of its groups.
        password: its password, or what is kept of it.
        refresh_password: set the password each time, without a look at it.
        groups: the groups that it is at least in, a list or a text with commas.
        login: it may log in.
        **server: see `server_of`.

    Returns:
        `changes` have the group: `Present`, or what changed; `new_state` has what `postgres.role_get` says.

    Raises:
        StateFailedError: the server refuses.
    """
    flags = {
        "createdb": createdb, "createroles": createroles, "superuser": superuser,
        "replication": replication, "inherit": inherit, "login": login,
    }  # fmt: skip
    wanted = Wanted(
        kind="group",
        flags={flag: bool(flags[flag]) for flag in FLAGS if flags.get(flag) is not None},
        password=None if password is None else str(password),
        refresh_password=bool(refresh_password),
        encrypted=encrypted,
        groups=names_of(groups),
    )
    return await role_present(ctx, name, wanted, server_of(ctx, server))


@also_takes(*SERVER)
async def absent(ctx: StateContext, name: str, **server: Any) -> StateReturn:
    """Have no group of a name.

    Args:
        ctx: the state's context.
        name: the role.
        **server: see `server_of`.

    Returns:
        `changes` have the group; `new_state` has `name` and `exists`, false.
    """
    asked = server_of(ctx, server)
    there = await ctx.call("postgres.user_exists", name, **asked)
    return await gone(
        ctx, name, "Group", is_there=there, remove=lambda: ctx.call("postgres.group_remove", name, **asked)
    )


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {"absent": absent, "present": present}
