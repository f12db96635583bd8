"""State module `mysql_grants`: privileges of accounts of a MySQL or MariaDB server.

Differences from Salt:
    An account with all privileges has each of them, and a requested `grant_option` must be there; Salt's
    extension checks neither. `revoke_first` revokes the existing privileges on the same database or table.

Args:
    name: any name.
    grant: the privileges, separated by commas.
    database: what they apply to: `database.*`, `database.table` or `*.*`.
    user: name of the account.
    host: host that the account logs in from.
    escape: treat `_` and `%` in the name of the database as characters, not as patterns.

Source: Salt's extension `saltext-mysql`, 1.1: results, changes and comments. Unlike Salt's, a plan
has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states._mysql import CONNECTION

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*CONNECTION)
async def present(
    ctx: StateContext,
    name: str,
    *,
    grant: str | None = None,
    database: str | None = None,
    user: str | None = None,
    host: str = "localhost",
    grant_option: bool = False,
    escape: bool = True,
    revoke_first: bool = False,
    ssl_option: list[Any] | bool = False,
    **connection: Any,
) -> StateReturn:
    """Grant privileges to an account.

    Args:
        grant_option: the account may grant the privileges to others.
        revoke_first: first revoke all privileges that the account has there.
        ssl_option: a list of mappings: `SSL` or `X509` with true, `SUBJECT`, `ISSUER` or `CIPHER` with text.
        **connection: `connection_host connection_port connection_user connection_pass connection_db
            connection_unix_socket connection_default_file connection_charset`.

    Example:
        shop-reads:
          mysql_grants.present:
            - grant: SELECT
            - database: shop.*
            - user: shop
            - host: '%'

    Returns:
        `changes` has the name, with `Present`; `new_state` has `name grant database user host`.

    Raises:
        StateFailedError: an argument is missing or invalid, or the server reports an error.
    """
    about = _about(grant, database, user, host)
    what = f"{grant} on {database} to {user}@{host}"
    new_state: DataMap = {"name": name, **about}
    asked = {**about, "grant_option": grant_option, "escape": escape, **connection}
    if await ctx.call("mysql.grant_exists", **asked):
        return StateReturn.unchanged(name, f"Grant {what} is already present", new_state)
    changes: DataMap = {name: "Present"}
    before: DataMap = {**new_state, "exists": False}
    if ctx.test:
        comment = f"MySQL grant {name} is set to be created"
        return StateReturn.planned(name, comment, changes, old_state=before)
    if revoke_first:
        place = {word: value for word, value in asked.items() if word not in {"grant", "grant_option"}}
        for privilege in await ctx.call("mysql.grants_on", **place):
            await ctx.call("mysql.grant_revoke", grant=privilege, **place)
    await ctx.call("mysql.grant_add", ssl_option=ssl_option, **asked)
    if not await ctx.call("mysql.grant_exists", **asked):
        raise StateFailedError(f"Failed to execute: GRANT {grant} ON {database} TO {user}@{host}")
    return StateReturn.changed(name, f"Grant {what} has been added", changes, new_state, old_state=before)


@also_takes(*CONNECTION)
async def absent(
    ctx: StateContext,
    name: str,
    *,
    grant: str | None = None,
    database: str | None = None,
    user: str | None = None,
    host: str = "localhost",
    grant_option: bool = False,
    escape: bool = True,
    **connection: Any,
) -> StateReturn:
    """Revoke privileges of an account. As in Salt, if it lacks one of them, none is revoked.

    Args:
        grant_option: revoke the right to grant the privileges to others.
        **connection: the arguments `connection_…`, as for `present`.

    Example:
        shop-reads:
          mysql_grants.absent:
            - grant: SELECT
            - database: shop.*
            - user: shop

    Returns:
        `changes` has the name, with `Absent`; `new_state` has `name grant database user host exists`.

    Raises:
        StateFailedError: an argument is missing or invalid, or the server reports an error.
    """
    about = _about(grant, database, user, host)
    gone: DataMap = {"name": name, **about, "exists": False}
    asked = {**about, "grant_option": grant_option, "escape": escape, **connection}
    if not await ctx.call("mysql.grant_exists", **asked):
        comment = f"Grant {grant} on {database} to {user}@{host} is not present, so it cannot be revoked"
        return StateReturn.unchanged(name, comment, gone)
    changes: DataMap = {name: "Absent"}
    if ctx.test:
        return StateReturn.planned(name, f"MySQL grant {name} is set to be revoked", changes)
    await ctx.call("mysql.grant_revoke", **asked)
    comment = f"Grant {grant} on {database} for {user}@{host} has been revoked"
    return StateReturn.changed(name, comment, changes, gone)


def _about(grant: str | None, database: str | None, user: str | None, host: str) -> dict[str, str]:
    given = {"grant": grant, "database": database, "user": user}
    missing = [word for word, value in given.items() if not value]
    if missing:
        raise StateFailedError(f"a grant of MySQL requires {' and '.join(missing)}")
    return {**{word: str(value) for word, value in given.items()}, "host": host}


FUNCTIONS: Final = placed(
    by_name(absent, present, make_only=()),
    "grant",
    "database",
    "user",
    "host",
    "connection_host",
    "connection_port",
    "connection_unix_socket",
)
