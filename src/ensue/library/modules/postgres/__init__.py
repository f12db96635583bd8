"""Execution module `postgres`: databases, roles, privileges, schemas and extensions of a PostgreSQL server.

Queries run through the target's `psql`, by default as the target's user `postgres`.

Args:
    **server: see `db_list`.
    name: the database.
    owner: the role that owns it.
    object_type: see `privileges_list`.
    prepend: the schema of a table, sequence or function.
    object_name: the object; `ALL` for every table, sequence or function of the schema.
    privileges: the privileges, separated by commas; `ALL` for all of the object type.
    dbname: the database.

Source: Salt's execution module `postgres`, 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.postgres import clusters, privileges, roles, schemas, tablespaces
from ensue.library.modules.postgres.databases import db_alter, db_create, db_exists, db_list, db_remove
from ensue.library.modules.postgres.server import PostgresServer, rows

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def psql_query(ctx: FunctionContext, query: str, **server: Any) -> list[dict[str, str]]:
    """Run a query and return its rows, one mapping per row.

    Args:
        query: one SQL statement.
        **server: `user`, `host`, `port`, `maintenance_db`, `password`, `runas`.

    Example:
        ensue call '*' postgres.psql_query 'SELECT 1'
    """
    return await rows(ctx, PostgresServer.read(server), query)


async def version(ctx: FunctionContext, **server: Any) -> str:
    """Return the server's version."""
    return (await rows(ctx, PostgresServer.read(server), "SHOW server_version;"))[0]["server_version"]


FUNCTIONS: Final = by_name(
    db_alter, db_create, db_exists, db_list, db_remove, psql_query, version, clusters.FUNCTIONS,
    privileges.FUNCTIONS, roles.FUNCTIONS, schemas.FUNCTIONS, tablespaces.FUNCTIONS,
)  # fmt: skip
