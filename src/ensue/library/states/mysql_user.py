"""State module `mysql_user`: accounts of a MySQL or MariaDB server.

Notes:
    A password is compared with the hash on the server if that is of `mysql_native_password`. Only the server
    could check other hashes, so an account with one of them counts as correct.

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

_NATIVE: Final = "mysql_native_password"


@also_takes(*CONNECTION)
async def present(
    ctx: StateContext,
    name: str,
    *,
    host: str = "localhost",
    password: str | None = None,
    password_hash: str | None = None,
    allow_passwordless: bool = False,
    unix_socket: bool = False,
    password_column: str | None = None,  # Salt's; the column is found
    auth_plugin: str = _NATIVE,
    **connection: Any,
) -> StateReturn:
    """Create an account, or set its password.

    Args:
        name: name of the account.
        host: host that the account logs in from.
        password: its password, which is masked and takes precedence over `password_hash`.
        password_hash: hash of its password, as the server stores it.
        allow_passwordless: allow an account without a password.
        unix_socket: without a password, let the system user of this name log in through the socket.
        password_column: accepted, as in Salt, without effect.
        auth_plugin: authentication plug-in of MySQL.
        **connection: `connection_host connection_port connection_user connection_pass connection_db
            connection_unix_socket connection_default_file connection_charset`.

    Example:
        shop:
          mysql_user.present:
            - host: '%'
            - unix_socket: true

    Returns:
        `changes` has the account, with `Present`, or `Updated` for its password; `new_state` has `name host`.

    Raises:
        StateFailedError: a password is required, or the server reports an error.
    """
    secrets = {"password": _text(password), "password_hash": _text(password_hash)}
    ctx.masker.add(*filter(None, secrets.values()))
    passwordless = not any(secrets.values())
    if passwordless and not allow_passwordless and not unix_socket:
        raise StateFailedError(
            "Either password or password_hash must be specified, unless allow_passwordless is True"
        )
    asked = {**secrets, "passwordless": passwordless, "unix_socket": unix_socket, **connection}
    new_state: DataMap = {"name": name, "host": host}
    if await ctx.call("mysql.user_exists", name, host, **asked):
        comment = f"User {name}@{host} is already present{_how(secrets, auth_plugin)}"
        return StateReturn.unchanged(name, comment, new_state)
    is_new = not await ctx.call("mysql.user_exists", name, host, **connection)
    changes: DataMap = {name: "Present" if is_new else "Updated"}
    login = " with passwordless login" if allow_passwordless and passwordless else ""
    login += " using unix_socket" if unix_socket else ""
    old_state: DataMap = {**new_state, "exists": False} if is_new else new_state
    verb = "cleared" if passwordless else "changed"
    if ctx.test:
        password_comment = f"Password for user {name}@{host} is set to be {verb}"
        comment = f"User {name}@{host} is set to be added{login}" if is_new else password_comment
        return StateReturn.planned(name, comment, changes, old_state=old_state)
    function = "mysql.user_create" if is_new else "mysql.user_chpass"
    given = {"allow_passwordless": allow_passwordless, "unix_socket": unix_socket, "auth_plugin": auth_plugin}
    await ctx.call(function, name, host, **secrets, **given, **connection)
    password_comment = f"Password for user {name}@{host} has been {verb}"
    comment = f"The user {name}@{host} has been added{login}" if is_new else password_comment
    return StateReturn.changed(name, comment, changes, new_state, old_state=old_state)


@also_takes(*CONNECTION)
async def absent(ctx: StateContext, name: str, *, host: str = "localhost", **connection: Any) -> StateReturn:
    """Remove an account.

    Args:
        name: name of the account.
        host: host that the account logs in from.
        **connection: the arguments `connection_…`, as for `present`.

    Example:
        shop:
          mysql_user.absent:
            - host: '%'

    Returns:
        `changes` has the account, with `Absent`; `new_state` has `name host exists`.

    Raises:
        StateFailedError: the server reports an error.
    """
    gone: DataMap = {"name": name, "host": host, "exists": False}
    if not await ctx.call("mysql.user_exists", name, host, **connection):
        comment = f"User {name}@{host} is not present, so it cannot be removed"
        return StateReturn.unchanged(name, comment, gone)
    changes: DataMap = {name: "Absent"}
    if ctx.test:
        return StateReturn.planned(name, f"User {name}@{host} is set to be removed", changes)
    await ctx.call("mysql.user_remove", name, host, **connection)
    return StateReturn.changed(name, f"User {name}@{host} has been removed", changes, gone)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _how(secrets: dict[str, str | None], auth_plugin: str) -> str:
    """Return the comment's part about the password of a correct account."""
    if not any(secrets.values()):
        return " with passwordless login"
    if auth_plugin != _NATIVE:
        return ". Unable to verify password."
    return f" with the desired password{'' if secrets['password'] else ' hash'}"


FUNCTIONS: Final = placed(
    by_name(absent, present, make_only=()),
    "host",
    "connection_host",
    "connection_port",
    "connection_unix_socket",
)
