"""Execution module `mysql`: databases, users and grants of a MySQL or MariaDB server.

Queries run through the target's `mysql` client; no database driver is needed, on the target or here.

Args:
    **connection: see `MysqlServer`.
    user: the account's user name.

Source: Salt's extension `saltext-mysql`, 1.1, formerly Salt's execution module `mysql`: names and return
values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.mysql import databases, grants, users
from ensue.library.modules.mysql.server import MysqlServer, rows

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def query(ctx: FunctionContext, database: str, query: str, **connection: Any) -> DataMap:
    """Run a query and return its rows.

    Args:
        database: the database to query.
        query: one SQL statement.

    Example:
        ensue call '*' mysql.query shop 'SELECT 1'

    Returns:
        `columns`, `results` (a list of strings per row) and `rows returned`.
    """
    records = await rows(ctx, MysqlServer.read({**connection, "connection_db": database}), query)
    return {
        "columns": [*records[0]] if records else [],
        "results": [[*row.values()] for row in records],
        "rows returned": len(records),
    }


async def version(ctx: FunctionContext, **connection: Any) -> str:
    """Return the server's version."""
    return (await rows(ctx, MysqlServer.read(connection), "SELECT VERSION() AS version;"))[0]["version"] or ""


FUNCTIONS: Final = by_name(query, version, databases.FUNCTIONS, grants.FUNCTIONS, users.FUNCTIONS)
