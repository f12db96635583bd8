"""Roles: users, which may log in, and groups, which may not.

Args:
    name: the role.
    **options: `superuser`, `inherit`, `createroles`, `createdb`, `replication`, `login`, `rolepassword`,
        `encrypted`, `valid_until`, `groups`; and the server's, as for `role_get`.

Source: Salt's execution module `postgres`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.postgres.passwords import is_kept, kept_password, method_of
from ensue.library.modules.postgres.server import PostgresServer, name_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap

_ROLE: Final = """\
SELECT r.rolname AS name, r.rolsuper AS superuser, r.rolinherit AS inherit, r.rolcreaterole AS createroles,
 r.rolcreatedb AS createdb, r.rolreplication AS replication, r.rolcanlogin AS login,
 r.rolvaliduntil AS valid_until,
 (SELECT string_agg(g.rolname, ',' ORDER BY g.rolname) FROM pg_catalog.pg_auth_members m
  JOIN pg_catalog.pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid) AS groups
FROM pg_catalog.pg_roles r WHERE r.rolname = {name};
"""
_KEPT: Final = "SELECT rolpassword AS kept FROM pg_catalog.pg_authid WHERE rolname = {name};"
_VALID_UNTIL: Final = """\
SELECT rolvaliduntil IS NOT DISTINCT FROM {time}::timestamptz AS same
FROM pg_catalog.pg_roles WHERE rolname = {name};
"""
_SETTING: Final = "password_encryption"
_FLAGS: Final = ("inherit", "createdb", "createroles", "superuser", "replication", "login")
_WORDS: Final = {"createroles": "CREATEROLE"}


async def role_get(ctx: FunctionContext, name: str, **server: Any) -> DataMap | None:
    """Return the properties of a role, None if it does not exist.

    Args:
        **server: `user`, `host`, `port`, `maintenance_db`, `password`, `runas`.

    Example:
        ensue call '*' postgres.role_get shop

    Returns:
        `superuser`, `inherit`, `createroles`, `createdb`, `replication`, `login`, `valid_until`, and
        `groups`, a list.
    """
    records = await rows(ctx, PostgresServer.read(server), _ROLE.format(name=text_of(name)))
    if not records:
        return None
    role: DataMap = {word: records[0][word] == "t" for word in _FLAGS}
    groups: list[Data] = [*records[0]["groups"].split(",")] if records[0]["groups"] else []
    role |= {"valid_until": records[0]["valid_until"], "groups": groups}
    return role


async def user_exists(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Return whether a role exists.

    Example:
        ensue call '*' postgres.user_exists shop
    """
    return await role_get(ctx, name, **server) is not None


async def has_password(
    ctx: FunctionContext, name: str, rolepassword: str, encrypted: bool | str | None = None, **server: Any
) -> bool:
    """Return whether a role has this password; requires a superuser.

    Args:
        rolepassword: the password.
        encrypted: how it is stored: `md5` or true, or `scram-sha-256`; by default, either will do.
        **server: see `role_get`.

    Example:
        ensue call '*' postgres.has_password app 'the password'
    """
    ctx.masker.add(rolepassword)
    records = await rows(ctx, PostgresServer.read(server), _KEPT.format(name=text_of(name)))
    kept = records[0]["kept"] if records else ""
    ctx.masker.add(kept)
    return is_kept(name, rolepassword, encrypted, kept)


async def is_valid_until(ctx: FunctionContext, name: str, valid_until: str, **server: Any) -> bool:
    """Return whether a role's password expires at this time.

    Args:
        valid_until: the time, as PostgreSQL reads it.

    Example:
        ensue call '*' postgres.is_valid_until app 2027-01-01
    """
    sql = _VALID_UNTIL.format(name=text_of(name), time=text_of(valid_until))
    records = await rows(ctx, PostgresServer.read(server), sql)
    return bool(records) and records[0]["same"] == "t"


async def user_create(ctx: FunctionContext, name: str, **options: Any) -> bool:
    """Create a role that may log in.

    Example:
        ensue call '*' postgres.user_create shop
    """
    return await _written(ctx, "CREATE", name, {"inherit": True, "login": True} | _given(options))


async def user_update(ctx: FunctionContext, name: str, **options: Any) -> bool:
    """Change a role; options that are not given stay as they are. The options are those of `user_create`.

    Example:
        ensue call '*' postgres.group_update shop
    """
    return await _written(ctx, "ALTER", name, _given(options))


async def user_remove(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Drop a role.

    Example:
        ensue call '*' postgres.group_remove shop
    """
    await run_sql(ctx, PostgresServer.read(server), f"DROP ROLE {name_of(name)};")
    return True


async def group_create(ctx: FunctionContext, name: str, **options: Any) -> bool:
    """Create a role that may not log in; the options are those of `user_create`.

    Example:
        ensue call '*' postgres.group_create shop
    """
    return await _written(ctx, "CREATE", name, {"inherit": True, "login": False} | _given(options))


async def _written(ctx: FunctionContext, verb: str, name: str, options: dict[str, Any]) -> bool:
    """Run CREATE ROLE or ALTER ROLE, and grant membership in the groups."""
    words = [
        _WORDS.get(flag, flag.upper()) if options[flag] else f"NO{_WORDS.get(flag, flag.upper())}"
        for flag in _FLAGS
        if flag in options
    ]
    own = {*_FLAGS, "rolepassword", "encrypted", "valid_until", "groups"}
    server = PostgresServer.read({word: value for word, value in options.items() if word not in own})
    if password := str(options.get("rolepassword") or ""):
        kept = await _kept(ctx, server, name, password, options.get("encrypted"))
        ctx.masker.add(password, kept)
        words.append(f"PASSWORD {text_of(kept)}")
    if "valid_until" in options:
        words.append(f"VALID UNTIL {text_of(str(options['valid_until']))}")
    lines = [f"{verb} ROLE {name_of(name)} WITH {' '.join(words)};"] if words else []
    lines += [f"GRANT {name_of(group)} TO {name_of(name)};" for group in groups_of(options.get("groups"))]
    if not lines:
        raise StateFailedError(f"no property of the role {name} is given to change")
    await run_sql(ctx, server, "\n".join(lines))
    return True


async def _kept(
    ctx: FunctionContext, server: PostgresServer, name: str, password: str, encrypted: bool | str | None
) -> str:
    """Return a password as it goes to the server, which does not need to see the password itself."""
    if encrypted is False:
        return password
    method = method_of(encrypted)
    if method is None:
        records = await rows(ctx, server, f"SHOW {_SETTING};")
        method = records[0][_SETTING] if records else ""
    return kept_password(name, password, method)


def groups_of(groups: str | Sequence[str] | None) -> list[str]:
    """Return a list of group names, from a list or a string with commas."""
    listed = groups.split(",") if isinstance(groups, str) else (groups or [])
    return [str(group).strip() for group in listed]


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in options.items() if value is not None}


FUNCTIONS: Final = by_name(
    group_create, has_password, is_valid_until, role_get, user_create, user_exists, user_remove,
    user_update, group_remove=user_remove, group_update=user_update,
)  # fmt: skip
