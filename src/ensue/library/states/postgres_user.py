"""State module `postgres_user`: roles of a PostgreSQL server that may log in.

Source: Salt's state module `postgres_user`, 3008. Unlike Salt's, a plan has `changes`, and without
`encrypted` a password is stored as the server is set to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.library.states._postgres import SERVER, gone, server_of
from ensue.library.states._postgres_role import FLAGS, RequestedRole, names_of, role_present

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn


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
    login: bool | None = None,
    password: str | None = None,
    default_password: str | None = None,
    refresh_password: bool | None = None,
    valid_until: str | None = None,
    groups: str | list[str] | None = None,
    **server: Any,
) -> StateReturn:
    """Create a user, or change its attributes.

    Args:
        name: the role.
        createdb: allow creating databases.
        createroles: allow creating roles.
        encrypted: how the password is stored: `md5` or true, or `scram-sha-256`; false: the server gets the
            password itself. By default, a new password is stored as the server's `password_encryption`
            says, and one that is there may have either form.
        superuser: make it a superuser.
        replication: allow replication.
        inherit: inherit the privileges of its groups.
        login: allow login.
        password: its password, or the stored form of it.
        default_password: password of a new user.
        refresh_password: set the password in each run, without a comparison.
        valid_until: when the password expires.
        groups: groups that it must be in, a list or a text with commas.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        shop:
          postgres_user.present:
            - login: true
            - createdb: false
            - groups: [readers]

    Returns:
        `changes` has the user, with `Present` or what changed; `new_state` has the result of
        `postgres.role_get`.

    Raises:
        StateFailedError: the server reports an error.
    """
    flags = {
        "createdb": createdb, "createroles": createroles, "superuser": superuser,
        "replication": replication, "inherit": inherit, "login": login,
    }  # fmt: skip
    role = RequestedRole(
        kind="user",
        flags={flag: bool(flags[flag]) for flag in FLAGS if flags[flag] is not None},
        password=None if password is None else str(password),
        default_password=None if default_password is None else str(default_password),
        refresh_password=bool(refresh_password),
        encrypted=encrypted,
        valid_until=valid_until,
        groups=names_of(groups),
    )
    return await role_present(ctx, name, role, server_of(ctx, server))


@also_takes(*SERVER)
async def absent(ctx: StateContext, name: str, **server: Any) -> StateReturn:
    """Remove a user.

    Args:
        name: the role.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        shop:
          postgres_user.absent

    Returns:
        `changes` has the user; `new_state` has `name exists`.
    """
    asked = server_of(ctx, server)
    there = await ctx.call("postgres.user_exists", name, **asked)
    return await gone(
        ctx, name, "User", is_there=there, remove=lambda: ctx.call("postgres.user_remove", name, **asked)
    )


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "db_host", "db_port")
