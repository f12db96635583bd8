"""What exists on a server of a resource of the driver `postgres`; nothing is changed.

A comment marks the database and the role as the resource's, and names the store that has it. A database is
also recognised by its owner, in case the process was killed before it wrote the comment. A resource of
another store is refused unless it is to be taken over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.drivers._postgres_inputs import maker_in
from ensue.deploy.drivers._postgres_server import can_log_in

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest
    from ensue.deploy.drivers._postgres_inputs import RequestedDatabase
    from ensue.deploy.drivers._postgres_server import Rows

_VERSION_16: Final = 160000

_ROLE: Final = """
SELECT rolcanlogin, coalesce(shobj_description(oid, 'pg_authid'), '')
FROM pg_catalog.pg_roles WHERE rolname = %s
"""

_DATABASE: Final = """
SELECT pg_get_userbyid(datdba), datconnlimit, coalesce(shobj_description(oid, 'pg_database'), ''),
    EXISTS (SELECT FROM aclexplode(coalesce(datacl, acldefault('d', datdba))) WHERE grantee = 0)
FROM pg_catalog.pg_database WHERE datname = %s
"""

_SEARCH_PATH: Final = """
SELECT coalesce(bool_or(('search_path=' || quote_ident(%s) || ', public') = ANY (setconfig)), false)
FROM pg_catalog.pg_db_role_setting
WHERE setdatabase = (SELECT oid FROM pg_catalog.pg_database WHERE datname = %s)
    AND setrole = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = %s)
"""

_PRIVILEGES: Final = """
SELECT bool_and(has_database_privilege(%s, %s, one)) FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMP']) AS one
"""

_EXTENSIONS: Final = "SELECT extname, extversion FROM pg_catalog.pg_extension"
_SCHEMAS: Final = """
SELECT nspname, has_schema_privilege(%s, oid, 'USAGE') AND has_schema_privilege(%s, oid, 'CREATE')
FROM pg_catalog.pg_namespace WHERE nspname = ANY (%s)
"""
_CONNECTIONS: Final = """
SELECT count(*) FROM pg_catalog.pg_stat_activity
WHERE datname = %s AND pid <> pg_backend_pid() AND coalesce(backend_type, 'client backend') = 'client backend'
"""


class FoundRole(msgspec.Struct, frozen=True, kw_only=True):
    """The role as it is.

    Args:
        can_log_in: whether it may log in at all.
        has_password: whether its password is the one in the cookie.
        is_member: whether the connecting role may act in its name.
        store: the store in its comment; empty: the comment names none.
    """

    can_log_in: bool
    has_password: bool
    is_member: bool
    store: str


class FoundDatabase(msgspec.Struct, frozen=True, kw_only=True):
    """The database as the server's catalogue has it.

    Args:
        owner: its owner.
        connection_limit: connections at once; -1: no limit.
        store: the store in its comment; empty: the comment names none, None: there is no comment.
        is_public: whether every role of the server may connect.
        is_granted: whether the role may connect and make schemas and temporary tables.
        has_search_path: whether the role's search path there begins with the requested schema.
    """

    owner: str
    connection_limit: int
    store: str | None
    is_public: bool
    is_granted: bool
    has_search_path: bool


class FoundInside(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the database.

    Args:
        schemas: those of `public` and the requested schema that exist, each with whether the role may use it
            and create objects in it.
        extensions: version by name.
    """

    schemas: dict[str, bool] = {}
    extensions: dict[str, str] = {}


class ForeignObject(msgspec.Struct, frozen=True, kw_only=True):
    """A role or a database that has the name of this resource's, and is not this resource's.

    Args:
        name: what it is, as messages name it (`database shop`).
        option: the input that names it.
        mark: what this resource's comment begins with.
        maker: the resource in its comment; empty: nothing that ensue has made.
    """

    name: str
    option: str
    mark: str
    maker: str

    @property
    def words(self) -> str:
        """How it shows that it is not this resource's; follows its name."""
        if self.maker:
            return f"this resource did not make it: its comment is of another one, {self.maker!r}"
        return f"this resource did not make it: it has no comment {self.mark!r}"


class FoundOnServer(msgspec.Struct, frozen=True, kw_only=True):
    """What the server has.

    Args:
        role: the role, None if it does not exist or is not this resource's.
        database: the database, None if it does not exist or is not this resource's.
        foreign: what has one of the names and is not this resource's.
        is_superuser: whether the connecting role is a superuser.
        was_made: whether both were there after an earlier create: what is missing was removed.
    """

    role: FoundRole | None
    database: FoundDatabase | None
    foreign: tuple[ForeignObject, ...]
    is_superuser: bool
    was_made: bool = False

    def without_password(self) -> FoundOnServer:
        """Return this with a role that has another password than the one in the cookie."""
        role = None if self.role is None else msgspec.structs.replace(self.role, has_password=False)
        return msgspec.structs.replace(self, role=role)


async def find(
    connection: Rows,
    requested: RequestedDatabase,
    request: DriverRequest,
    *,
    password: str,
    verifier: str,
    is_recorded: bool,
) -> FoundOnServer:
    """Look at the role and the database.

    Args:
        connection: to the maintenance database.
        requested: what to look for.
        request: the resource.
        password: the role's password from the cookie; empty: there is none.
        verifier: the form in which the server stores that password.
        is_recorded: whether there is a cookie: then a comment that names no store is this store's.

    Raises:
        ForeignOwnerError: the role or the database belongs to another store.
    """
    is_superuser = await _value(connection, "SELECT current_setting('is_superuser') = 'on'")
    foreign: list[ForeignObject] = []
    role = await _row(connection, _ROLE, requested.role)
    if role is not None:
        store = requested.store_in(role[1])
        if store is None:
            foreign.append(_foreign(f"role {requested.role}", "user", requested, role[1]))
            role = None
        elif store or not is_recorded:
            request.refuse_foreign(f"the role {requested.role}", store)
    database = await _row(connection, _DATABASE, requested.database)
    if database is not None:
        store = requested.store_in(database[2])
        if store is None and (role is None or database[0] != requested.role):
            foreign.append(_foreign(f"database {requested.database}", "database", requested, database[2]))
            database = None
        elif store or (store is not None and not is_recorded):
            request.refuse_foreign(f"the database {requested.database}", store)
    has_role = role is not None
    return FoundOnServer(
        role=await _found_role(connection, requested, role, password, verifier) if role else None,
        database=await _found_database(connection, requested, database, has_role=has_role)
        if database
        else None,
        foreign=tuple(foreign),
        is_superuser=is_superuser,
    )


async def find_inside(connection: Rows, requested: RequestedDatabase) -> FoundInside:
    """Look into the database.

    Args:
        connection: to that database.
        requested: what to look for; its role exists.
    """
    names = ["public", requested.schema]
    schemas = await connection.execute(_SCHEMAS, (requested.role, requested.role, names))
    extensions = await connection.execute(_EXTENSIONS)
    return FoundInside(schemas=dict(await schemas.fetchall()), extensions=dict(await extensions.fetchall()))


async def count_connections(connection: Rows, database: str) -> int:
    """Return how many other clients are connected to a database."""
    return int(await _value(connection, _CONNECTIONS, database))


async def _found_role(
    connection: Rows, requested: RequestedDatabase, row: tuple[Any, ...], password: str, verifier: str
) -> FoundRole:
    # From version 16 on, a role may be allowed to administer another one but not to act for it.
    option = "SET" if connection.info.server_version >= _VERSION_16 else "MEMBER"
    return FoundRole(
        can_log_in=row[0],
        has_password=bool(password) and await _has_password(connection, requested, password, verifier),
        is_member=await _value(
            connection, "SELECT pg_has_role(current_user, %s, %s)", requested.role, option
        ),
        store=requested.store_in(row[1]) or "",
    )


async def _has_password(connection: Rows, requested: RequestedDatabase, password: str, verifier: str) -> bool:
    """Return whether the role's password is the one in the cookie.

    Only a superuser can read it; any other role has to try it. A refusal because of the password cannot be
    distinguished from a rule of the server that excludes this machine, and setting the password again is
    harmless.
    """
    if await _value(connection, "SELECT has_table_privilege('pg_catalog.pg_authid', 'SELECT')"):
        statement = "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = %s"
        return bool(await _value(connection, statement, requested.role) == verifier)
    return await can_log_in(requested.server, requested.role, password, requested.database)


async def _found_database(
    connection: Rows, requested: RequestedDatabase, row: tuple[Any, ...], *, has_role: bool
) -> FoundDatabase:
    is_granted = has_role and await _value(connection, _PRIVILEGES, requested.role, requested.database)
    has_path = await _value(connection, _SEARCH_PATH, requested.schema, requested.database, requested.role)
    return FoundDatabase(
        owner=row[0],
        connection_limit=row[1],
        store=requested.store_in(row[2]),
        is_public=row[3],
        is_granted=is_granted,
        has_search_path=has_path,
    )


def _foreign(name: str, option: str, requested: RequestedDatabase, comment: str) -> ForeignObject:
    return ForeignObject(name=name, option=option, mark=requested.mark, maker=maker_in(comment))


async def _row(connection: Rows, statement: Any, *values: Any) -> tuple[Any, ...] | None:
    return await (await connection.execute(statement, values)).fetchone()


async def _value(connection: Rows, statement: Any, *values: Any) -> Any:
    row = await _row(connection, statement, *values)
    return row[0] if row else None
