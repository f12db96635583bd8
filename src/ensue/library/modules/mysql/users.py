"""Users: their accounts and passwords.

Args:
    host: the host that it logs in from.
    password_column: not used.

Source: Salt's extension `saltext-mysql`, 1.1; MariaDB's and MySQL's manuals, "CREATE USER".
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.mysql.server import MysqlServer, account_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

NATIVE: Final = "mysql_native_password"
"""The plug-in whose password hashes can be compared here; only the server can check those of others."""

_ACCOUNT: Final = "SELECT * FROM mysql.user WHERE User = {user} AND Host = {host};"
_SOCKET: Final = frozenset({"unix_socket", "auth_socket"})
_WORD: Final = re.compile(r"\w+")
_NOBODY_FITS: Final = frozenset({"", "invalid"})
"""What MariaDB stores instead of a password hash for accounts of `unix_socket`; it may also be empty."""


async def user_list(ctx: FunctionContext, **connection: Any) -> list[dict[str, str | None]]:
    """Return the accounts, each with `User` and `Host`."""
    return await rows(ctx, MysqlServer.read(connection), "SELECT User, Host FROM mysql.user ORDER BY 1, 2;")


async def user_exists(
    ctx: FunctionContext,
    user: str,
    host: str = "localhost",
    password: str | None = None,
    password_hash: str | None = None,
    passwordless: bool = False,
    unix_socket: bool = False,
    password_column: str | None = None,  # Salt's; the column is found
    **connection: Any,
) -> bool:
    """Return whether an account exists and, if a password is given, has that password.

    Args:
        user: its user name.
        password: its password; masked from then on.
        password_hash: the password's hash as the server stores it.
        passwordless: check that it logs in without a password.
        unix_socket: with `passwordless`, check that it logs in as the user of that name on the target.

    Example:
        ensue call '*' mysql.user_exists shop
    """
    account = await _account(ctx, user, host, connection)
    if account is None:
        return False
    plugin, kept = account
    if password or password_hash:
        hashed = native_hash(password) if password else str(password_hash)
        ctx.masker.add(*filter(None, (password, hashed)))
        return plugin not in {"", NATIVE} | _SOCKET or (
            plugin not in _SOCKET and kept.upper() == hashed.upper()
        )
    if unix_socket:
        return plugin in _SOCKET
    return not passwordless or (plugin not in _SOCKET and kept in _NOBODY_FITS)


async def user_create(
    ctx: FunctionContext,
    user: str,
    host: str = "localhost",
    password: str | None = None,
    password_hash: str | None = None,
    allow_passwordless: bool = False,
    unix_socket: bool = False,
    password_column: str | None = None,  # Salt's; the column is found
    auth_plugin: str = NATIVE,
    **connection: Any,
) -> bool:
    """Create an account.

    Args:
        user: its user name.
        password: its password.
        password_hash: a password's hash as the server stores it.
        allow_passwordless: allow an account without a password.
        unix_socket: let it log in as the user of that name on the target.
        auth_plugin: MySQL's authentication plug-in for the password.

    Example:
        ensue call '*' mysql.user_create shop

    Raises:
        StateFailedError: a password is required and missing, or the server refuses.
    """
    how = await _identified(
        ctx, password, password_hash, allow_passwordless, unix_socket, auth_plugin, connection
    )
    await run_sql(ctx, MysqlServer.read(connection), f"CREATE USER {account_of(user, host)} {how};")
    return True


async def user_chpass(
    ctx: FunctionContext,
    user: str,
    host: str = "localhost",
    password: str | None = None,
    password_hash: str | None = None,
    allow_passwordless: bool = False,
    unix_socket: bool | None = None,
    password_column: str | None = None,  # Salt's; the column is found
    auth_plugin: str = NATIVE,
    **connection: Any,
) -> bool:
    """Change an account's password; the arguments are those of `user_create`.

    Args:
        password: its password; masked from then on.
        password_hash: the password's hash as the server stores it.
        allow_passwordless: allow an account without a password.
        unix_socket: let it log in as the user of that name on the target.
        auth_plugin: MySQL's authentication plug-in for the password.

    Example:
        ensue call '*' mysql.user_chpass shop
    """
    how = await _identified(
        ctx, password, password_hash, allow_passwordless, bool(unix_socket), auth_plugin, connection
    )
    await run_sql(ctx, MysqlServer.read(connection), f"ALTER USER {account_of(user, host)} {how};")
    return True


async def user_remove(ctx: FunctionContext, user: str, host: str = "localhost", **connection: Any) -> bool:
    """Drop an account.

    Example:
        ensue call '*' mysql.user_remove shop
    """
    await run_sql(ctx, MysqlServer.read(connection), f"DROP USER {account_of(user, host)};")
    return True


def native_hash(password: str) -> str:
    """Return the hash that the server stores for a password (`mysql_native_password`)."""
    inner = hashlib.sha1(password.encode(), usedforsecurity=False).digest()
    return "*" + hashlib.sha1(inner, usedforsecurity=False).hexdigest().upper()


async def _account(
    ctx: FunctionContext, user: str, host: str, connection: dict[str, Any]
) -> tuple[str, str] | None:
    """Return an account's authentication plug-in and password hash.

    It selects all columns, because the name of the one with the hash differs between versions.
    """
    sql = _ACCOUNT.format(user=text_of(user), host=text_of(host))
    records = await rows(ctx, MysqlServer.read(connection), sql)
    if not records:
        return None
    kept = records[0].get("authentication_string") or records[0].get("Password") or ""
    if kept not in _NOBODY_FITS:
        ctx.masker.add(kept)
    return records[0].get("plugin") or "", kept


async def _identified(
    ctx: FunctionContext,
    password: str | None,
    password_hash: str | None,
    allow_passwordless: bool,
    unix_socket: bool,
    auth_plugin: str,
    connection: dict[str, Any],
) -> str:
    """Return the SQL clause that specifies how an account logs in."""
    sql = "SELECT VERSION() AS version;"
    version = (await rows(ctx, MysqlServer.read(connection), sql))[0]["version"] or ""
    is_mariadb = "MariaDB" in version
    if not _WORD.fullmatch(auth_plugin):
        raise StateFailedError(f"{auth_plugin!r} is not the name of a plug-in")
    ctx.masker.add(*filter(None, (password, password_hash)))
    if password:
        return f"IDENTIFIED {'' if is_mariadb else f'WITH {auth_plugin} '}BY {text_of(password)}"
    if password_hash:
        how = "BY PASSWORD" if is_mariadb else f"WITH {auth_plugin} AS"
        return f"IDENTIFIED {how} {text_of(password_hash)}"
    if unix_socket:
        return "IDENTIFIED VIA unix_socket" if is_mariadb else "IDENTIFIED WITH auth_socket"
    if allow_passwordless:
        return "IDENTIFIED BY ''"
    raise StateFailedError("password or password_hash is required unless allow_passwordless is true")


FUNCTIONS: Final = by_name(user_chpass, user_create, user_exists, user_list, user_remove)
