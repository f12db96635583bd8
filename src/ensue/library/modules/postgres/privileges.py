"""Privileges of roles on tables, schemas, databases and other objects, and membership in groups.

A role's privileges are read from the access list of the object. An object without a list has PostgreSQL's
defaults, which give the owner everything. Privileges that a role has through a group do not count.

Source: Salt's execution module `postgres`, 3008; PostgreSQL's manual, "Privileges" (`aclexplode`,
`acldefault`). Salt looks for a table named ALL, compares with the privileges of PostgreSQL 17 only, and with
`grant_option` requires all of them to be grantable, so its second run changes something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.postgres.server import PostgresServer, name_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_IN_SCHEMA: Final = frozenset({"table", "sequence", "function"})
_KINDS: Final = {
    "table": "r", "sequence": "s", "schema": "n", "tablespace": "t", "language": "l", "database": "d",
    "function": "f",
}  # fmt: skip
"""Object types, with their letters for `acldefault`."""

_RELATIONS: Final = """\
SELECT c.oid, c.relowner AS owner, c.relacl AS acl
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {schema} AND c.relkind IN ({relkinds}){named}"""
_FUNCTIONS: Final = """\
SELECT p.oid, p.proowner AS owner, p.proacl AS acl
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = {schema} AND p.prokind <> 'p'{named}"""
_OBJECTS: Final = {
    "schema": "SELECT oid, nspowner AS owner, nspacl AS acl FROM pg_catalog.pg_namespace"
    " WHERE nspname = {name}",
    "tablespace": "SELECT oid, spcowner AS owner, spcacl AS acl FROM pg_catalog.pg_tablespace"
    " WHERE spcname = {name}",
    "language": "SELECT oid, lanowner AS owner, lanacl AS acl FROM pg_catalog.pg_language"
    " WHERE lanname = {name}",
    "database": "SELECT oid, datdba AS owner, datacl AS acl FROM pg_catalog.pg_database"
    " WHERE datname = {name}",
}
_ACL: Final = """\
WITH objects AS ({objects})
SELECT o.oid AS object, coalesce(r.rolname, 'public') AS role, a.privilege_type AS privilege,
 a.is_grantable AS grantable
FROM objects o LEFT JOIN LATERAL aclexplode(coalesce(o.acl, acldefault('{kind}', o.owner))) a ON true
LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee ORDER BY 1, 2, 3;
"""
_ALL_OF_A_KIND: Final = """\
SELECT DISTINCT a.privilege_type AS privilege FROM aclexplode(acldefault('{kind}', 10)) a ORDER BY 1;
"""
_MEMBERS: Final = """\
SELECT r.rolname AS role, m.admin_option AS admin
FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON r.oid = m.member
JOIN pg_catalog.pg_roles g ON g.oid = m.roleid WHERE g.rolname = {name} ORDER BY 1;
"""

_Held = dict[str, dict[str, bool]]


class _Object(msgspec.Struct, frozen=True, kw_only=True):
    """The object that privileges apply to.

    Args:
        name: its name; `ALL` for all objects of its type in the schema.
        kind: its object type.
        schema: its schema.
    """

    name: str
    kind: str
    schema: str

    @classmethod
    def read(cls, name: str, object_type: str, prepend: str) -> _Object:
        kind = object_type.lower()
        if kind not in _KINDS and kind != "group":
            known = ", ".join(sorted({*_KINDS, "group"}))
            raise StateFailedError(f"unknown object type {object_type}; the types are {known}")
        return cls(name=name, kind=kind, schema=prepend)

    @property
    def is_all(self) -> bool:
        return self.kind in _IN_SCHEMA and self.name.upper() == "ALL"

    def query(self) -> str:
        """Return the SQL query for the object, or all of its type, with owner and access list."""
        schema = text_of(self.schema)
        if self.kind == "function":
            text = text_of(self.name.replace(" ", ""))
            plain = "replace(p.oid::regprocedure::text, ' ', '')"
            named = "" if self.is_all else f" AND {text} IN ({plain}, replace({plain}, n.nspname || '.', ''))"
            return _FUNCTIONS.format(schema=schema, named=named)
        if self.kind in _IN_SCHEMA:
            relkinds = "'S'" if self.kind == "sequence" else "'r', 'v', 'm', 'f', 'p'"
            named = "" if self.is_all else f" AND c.relname = {text_of(self.name)}"
            return _RELATIONS.format(schema=schema, relkinds=relkinds, named=named)
        return _OBJECTS[self.kind].format(name=text_of(self.name))

    def written(self) -> str:
        """Return the object as GRANT and REVOKE name it."""
        word = self.kind.upper()
        if self.is_all:
            return f"ALL {word}S IN SCHEMA {name_of(self.schema)}"
        if self.kind == "function":
            name, _, arguments = self.name.partition("(")
            return f"FUNCTION {name_of(self.schema)}.{name_of(name)}({arguments.rstrip(')')})"
        if self.kind in _IN_SCHEMA:
            return f"{word} {name_of(self.schema)}.{name_of(self.name)}"
        return f"{word} {name_of(self.name)}"


async def privileges_list(
    ctx: FunctionContext, name: str, object_type: str, prepend: str = "public", **server: Any
) -> dict[str, Any]:
    """Return the privileges that roles have on an object.

    Args:
        name: the object.
        object_type: `table`, `sequence`, `schema`, `tablespace`, `language`, `database`, `function` or
            `group`.
        **server: `user`, `host`, `port`, `maintenance_db`, `password`, `runas`.

    Example:
        ensue call '*' postgres.privileges_list shop table

    Returns:
        By role a mapping of its privileges to whether the role may grant them. For a group, a mapping of its
        members to whether they may add others.

    Raises:
        StateFailedError: the object does not exist, or the type is unknown.
    """
    about = _Object.read(name, object_type, prepend)
    if about.kind == "group":
        return {**await _members(ctx, name, server)}
    held = await _held(ctx, about, server)
    if not held:
        raise StateFailedError(f"there is no {about.kind} {name}")
    return {**next(iter(held.values()))}


async def has_privileges(
    ctx: FunctionContext,
    name: str,
    object_name: str,
    object_type: str,
    *,
    privileges: str | None = None,
    grant_option: bool | None = None,
    prepend: str = "public",
    **server: Any,
) -> bool:
    """Return whether a role has privileges on an object, or is a member of a group.

    Args:
        name: the role.
        grant_option: check that the role may grant them, too.
        prepend: see `privileges_list`.
        **server: see `privileges_list`.

    Example:
        ensue call '*' postgres.has_privileges shop orders table
    """
    about = _Object.read(object_name, object_type, prepend)
    if about.kind == "group":
        members = await _members(ctx, object_name, server)
        return members.get(name, False) if grant_option else name in members
    requested = await _wanted(ctx, about, privileges, server)
    held = await _held(ctx, about, server)
    if not held and not about.is_all:
        raise StateFailedError(f"there is no {about.kind} {object_name}")
    return all(
        privilege in roles.get(name, {}) and (not grant_option or roles[name][privilege])
        for roles in held.values()
        for privilege in requested
    )


async def privileges_grant(
    ctx: FunctionContext,
    name: str,
    object_name: str,
    object_type: str,
    *,
    privileges: str | None = None,
    grant_option: bool | None = None,
    prepend: str = "public",
    **server: Any,
) -> bool:
    """Grant privileges, or membership in a group; the arguments are those of `has_privileges`.

    Args:
        name: the role.
        grant_option: let the role grant them to others, too.

    Example:
        ensue call '*' postgres.privileges_grant shop orders table
    """
    about = _Object.read(object_name, object_type, prepend)
    if about.kind == "group":
        option = " WITH ADMIN OPTION" if grant_option else ""
        sql = f"GRANT {name_of(object_name)} TO {name_of(name)}{option};"
    else:
        words = ", ".join(await _wanted(ctx, about, privileges, server))
        option = " WITH GRANT OPTION" if grant_option else ""
        sql = f"GRANT {words} ON {about.written()} TO {name_of(name)}{option};"
    await run_sql(ctx, PostgresServer.read(server), sql)
    return True


async def privileges_revoke(
    ctx: FunctionContext,
    name: str,
    object_name: str,
    object_type: str,
    *,
    privileges: str | None = None,
    prepend: str = "public",
    **server: Any,
) -> bool:
    """Revoke privileges, or membership in a group; the arguments are those of `has_privileges`.

    Args:
        name: the role.

    Example:
        ensue call '*' postgres.privileges_revoke shop orders table
    """
    about = _Object.read(object_name, object_type, prepend)
    if about.kind == "group":
        sql = f"REVOKE {name_of(object_name)} FROM {name_of(name)};"
    else:
        words = ", ".join(await _wanted(ctx, about, privileges, server))
        sql = f"REVOKE {words} ON {about.written()} FROM {name_of(name)};"
    await run_sql(ctx, PostgresServer.read(server), sql)
    return True


async def _members(ctx: FunctionContext, group: str, server: dict[str, Any]) -> dict[str, bool]:
    members = await rows(ctx, PostgresServer.read(server), _MEMBERS.format(name=text_of(group)))
    return {row["role"]: row["admin"] == "t" for row in members}


async def _held(ctx: FunctionContext, about: _Object, server: dict[str, Any]) -> dict[str, _Held]:
    """Return the privileges of each role, by object id."""
    sql = _ACL.format(objects=about.query(), kind=_KINDS[about.kind])
    held: dict[str, _Held] = {}
    for row in await rows(ctx, PostgresServer.read(server), sql):
        roles = held.setdefault(row["object"], {})
        if row["privilege"]:
            roles.setdefault(row["role"], {})[row["privilege"]] = row["grantable"] == "t"
    return held


async def _wanted(
    ctx: FunctionContext, about: _Object, privileges: str | None, server: dict[str, Any]
) -> list[str]:
    """Return the requested privileges, checked against those that the server has for the object type."""
    listed = [word.strip().upper() for word in (privileges or "").split(",") if word.strip()]
    sql = _ALL_OF_A_KIND.format(kind=_KINDS[about.kind])
    known = [row["privilege"] for row in await rows(ctx, PostgresServer.read(server), sql)]
    if {"ALL", "ALL PRIVILEGES"} & {*listed}:
        return known
    requested = ["TEMPORARY" if word == "TEMP" else word for word in listed]
    unknown = [word for word in requested if word not in known]
    if unknown or not requested:
        what = f"no privilege {', '.join(unknown)}" if unknown else "to be a privilege"
        raise StateFailedError(f"for a {about.kind} there is {what}; there are {', '.join(known)}")
    return requested


FUNCTIONS: Final = by_name(has_privileges, privileges_grant, privileges_list, privileges_revoke)
