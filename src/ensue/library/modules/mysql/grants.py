"""Grants: the privileges of accounts.

Existing grants are read from `SHOW GRANTS`, whose output is the same in MySQL and MariaDB.

Args:
    host: the host that it logs in from.
    grant: the privileges, separated by commas.
    database: what they apply to: `database.*`, `database.table` or `*.*`.
    grant_option: whether the account may grant them to others.
    escape: take `_` and `%` in the name of the database literally, not as wildcards.

Source: Salt's extension `saltext-mysql`, 1.1; MySQL's manual, "GRANT". An account with all privileges
has each of them, and a requested grant option must exist; Salt's extension checks neither.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules.mysql.server import MysqlServer, account_of, name_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_ALL: Final = "ALL PRIVILEGES"
_ACCOUNT: Final = "SELECT 1 AS found FROM mysql.user WHERE User = {user} AND Host = {host};"
_GRANT: Final = re.compile(r"GRANT (?P<words>.+?) ON (?P<level>\S.*?) TO (?P<rest>.*)", re.DOTALL)
_PRIVILEGE: Final = re.compile(r"\s*(?P<words>[A-Za-z_ ]+?)\s*(?:\((?P<columns>[^)]*)\))?\s*(?:,|$)")
_KEPT: Final = re.compile(r" IDENTIFIED (?:BY PASSWORD|VIA \w+ USING|WITH \S+ AS) '(?:[^'\\]|\\.|'')*'")
_QUOTED: Final = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
_SAME: Final = {"REPLICATION CLIENT": "BINLOG MONITOR", "DELETE VERSIONING ROWS": "DELETE HISTORY"}
"""Privileges that MariaDB lists under another name."""

_GLOBAL_OF_MYSQL_8: Final = frozenset({
    "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE",
    "REFERENCES", "INDEX", "ALTER", "SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES",
    "EXECUTE", "REPLICATION SLAVE", "BINLOG MONITOR", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE",
    "ALTER ROUTINE", "CREATE USER", "EVENT", "TRIGGER", "CREATE TABLESPACE", "CREATE ROLE", "DROP ROLE",
})  # fmt: skip
"""What MySQL 8 lists instead of ALL PRIVILEGES for `*.*`."""

_SSL_FLAGS: Final = frozenset({"SSL", "X509"})
_SSL_TEXTS: Final = frozenset({"SUBJECT", "ISSUER", "CIPHER"})


class _GrantLevel(msgspec.Struct, frozen=True, kw_only=True):
    """What a grant applies to: a database as written in grants (`_` and `%` escaped), and a table or `*`."""

    database: str
    table: str

    def written(self) -> str:
        """Return it as SQL."""
        database = self.database if self.database == "*" else name_of(self.database)
        return f"{database}.{self.table if self.table == '*' else name_of(self.table)}"


class _Held(msgspec.Struct, frozen=True, kw_only=True):
    """One line of SHOW GRANTS."""

    level: _GrantLevel
    privileges: frozenset[str]
    with_grant_option: bool


async def user_grants(
    ctx: FunctionContext, user: str, host: str = "localhost", **connection: Any
) -> list[str]:
    """Return the grants of an account as SQL, without the password hash.

    Example:
        ensue call '*' mysql.user_grants shop

    Raises:
        StateFailedError: the account does not exist, or the query fails.
    """
    records = await rows(ctx, MysqlServer.read(connection), f"SHOW GRANTS FOR {account_of(user, host)};")
    return [_KEPT.sub("", next(iter(row.values())) or "") for row in records]


async def grant_exists(
    ctx: FunctionContext,
    grant: str,
    database: str,
    user: str,
    host: str = "localhost",
    grant_option: bool = False,
    escape: bool = True,
    **connection: Any,
) -> bool:
    """Return whether an account has privileges.

    Example:
        ensue call '*' mysql.grant_exists SELECT 'shop.*' shop

    Returns:
        Whether it has them; False if the account does not exist.
    """
    asked = MysqlServer.read(connection)
    if not await rows(ctx, asked, _ACCOUNT.format(user=text_of(user), host=text_of(host))):
        return False
    granted = await _held_on(ctx, _level(database, escape=escape), user, host, connection)
    is_global = database.startswith("*.")
    privileges = {privilege for line in granted for privilege in line.privileges}
    may_grant = any(line.with_grant_option for line in granted)
    requested = _privileges(grant)
    is_all = _ALL in privileges or (is_global and privileges >= _GLOBAL_OF_MYSQL_8)
    return (is_all or requested <= privileges | {"USAGE"}) and (may_grant or not grant_option)


async def grants_on(
    ctx: FunctionContext,
    database: str,
    user: str,
    host: str = "localhost",
    escape: bool = True,
    **connection: Any,
) -> list[str]:
    """Return the privileges that an account has on exactly this database or table.

    Example:
        ensue call '*' mysql.grants_on 'shop.*' shop
    """
    granted = await _held_on(ctx, _level(database, escape=escape), user, host, connection)
    return [", ".join(sorted(line.privileges)) for line in granted if line.privileges - {"USAGE"}]


async def grant_add(
    ctx: FunctionContext,
    grant: str,
    database: str,
    user: str,
    host: str = "localhost",
    grant_option: bool = False,
    escape: bool = True,
    ssl_option: list[Any] | bool = False,
    **connection: Any,
) -> bool:
    """Grant privileges to an account.

    Args:
        ssl_option: a list of mappings: `SSL` or `X509` to true, `SUBJECT`, `ISSUER` or `CIPHER` to a string.

    Example:
        ensue call '*' mysql.grant_add SELECT 'shop.*' shop
    """
    level = _level(database, escape=escape).written()
    option = " WITH GRANT OPTION" if grant_option else ""
    words = ", ".join(sorted(_privileges(grant)))
    to = f"{account_of(user, host)}{_requirement(ssl_option)}{option}"
    await run_sql(ctx, MysqlServer.read(connection), f"GRANT {words} ON {level} TO {to};")
    return True


async def grant_revoke(
    ctx: FunctionContext,
    grant: str,
    database: str,
    user: str,
    host: str = "localhost",
    grant_option: bool = False,
    escape: bool = True,
    **connection: Any,
) -> bool:
    """Revoke privileges from an account; the arguments are those of `grant_add`.

    Example:
        ensue call '*' mysql.grant_revoke SELECT 'shop.*' shop
    """
    level = _level(database, escape=escape).written()
    from_ = account_of(user, host)
    lines = [f"REVOKE {', '.join(sorted(_privileges(grant)))} ON {level} FROM {from_};"]
    # MySQL does not accept both in one list, so each has its own statement.
    lines += [f"REVOKE GRANT OPTION ON {level} FROM {from_};"] if grant_option else []
    await run_sql(ctx, MysqlServer.read(connection), "\n".join(lines))
    return True


async def _held_on(
    ctx: FunctionContext, level: _GrantLevel, user: str, host: str, connection: dict[str, Any]
) -> list[_Held]:
    lines = map(_held, await user_grants(ctx, user, host, **connection))
    return [line for line in lines if line is not None and line.level == level]


def _privileges(grant: str) -> frozenset[str]:
    """Normalize privileges: `SELECT (a, b)` for columns, MariaDB's name for the rest."""
    privileges: set[str] = set()
    end = 0
    for match in _PRIVILEGE.finditer(grant):
        if match.start() != end or match.start() == match.end():
            break
        end = match.end()
        words = " ".join(match["words"].upper().split())
        words = _ALL if words == "ALL" else _SAME.get(words, words)
        named = (match["columns"] or "").split(",")
        columns = sorted(each.strip().strip("`") for each in named if each.strip())
        privileges.add(f"{words} ({', '.join(map(name_of, columns))})" if columns else words)
    if end != len(grant) or not privileges:
        raise StateFailedError(f"{grant!r} is not a list of privileges; separate them by commas")
    return frozenset(privileges)


def _level(database: str, *, escape: bool) -> _GrantLevel:
    before, _, table = database.rpartition(".")
    if not before:
        raise StateFailedError(f"{database!r} is neither database.*, database.table nor *.*")
    if escape and before != "*" and table == "*":
        before = before.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")
    return _GrantLevel(database=before.strip("`"), table=table.strip("`"))


def _held(line: str) -> _Held | None:
    """Parse a line of SHOW GRANTS; None if it does not concern tables (a role, a proxy, a routine)."""
    match = _GRANT.fullmatch(line)
    parts = _QUOTED.findall(match["level"]) if match else []
    if match is None or len(parts) != 2:  # noqa: PLR2004 (database and table)
        return None
    database, table = (quoted.replace("``", "`") or plain for quoted, plain in parts)
    try:
        privileges = _privileges(match["words"])
    except StateFailedError:
        return None
    return _Held(
        level=_GrantLevel(database=database, table=table),
        privileges=privileges,
        with_grant_option="WITH GRANT OPTION" in match["rest"],
    )


def _requirement(ssl_option: Any) -> str:
    if not is_list(ssl_option):
        return ""
    words: list[str] = []
    for entry in ssl_option:
        for key, value in entry.items() if is_mapping(entry) else [(str(entry), None)]:
            word = key.strip().upper()
            if word not in _SSL_FLAGS | _SSL_TEXTS:
                known = ", ".join(sorted(_SSL_FLAGS | _SSL_TEXTS))
                raise StateFailedError(f"unknown ssl_option {key}; the options are {known}")
            if word in _SSL_TEXTS:
                words.append(f"{word} {text_of(str(value))}")
            elif value:
                words.append(word)
    return f" REQUIRE {' AND '.join(words)}" if words else ""


FUNCTIONS: Final = by_name(grant_add, grant_exists, grant_revoke, grants_on, user_grants)
