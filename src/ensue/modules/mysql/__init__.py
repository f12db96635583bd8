"""Execution module `mysql`: databases, users and grants of a MySQL or MariaDB server.

The target's own `mysql` client asks; no driver is needed, neither there nor here.

Source: Salt's extension `saltext-mysql`, 1.1, which was Salt's execution module `mysql`: names and what they
return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.mysql import databases, grants, users
from ensue.modules.mysql.server import Server, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap


async def query(ctx: FunctionContext, database: str, query: str, **connection: Any) -> DataMap:
    """Return what a query finds.

    Args:
        ctx: the target.
        database: the database that it is asked of.
        query: SQL.
        **connection: see `Server`.

    Returns:
        `columns`, `results` (a list of texts for each row) and `rows returned`.
    """
    found = await rows(ctx, Server.read({**connection, "connection_db": database}), query)
    return {
        "columns": [*found[0]] if found else [],
        "results": [[*row.values()] for row in found],
        "rows returned": len(found),
    }


async def version(ctx: FunctionContext, **connection: Any) -> str:
    """Return the server's version; see `query`."""
    return (await rows(ctx, Server.read(connection), "SELECT VERSION() AS version;"))[0]["version"] or ""


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "query": query,
    "version": version,
    **databases.FUNCTIONS,
    **grants.FUNCTIONS,
    **users.FUNCTIONS,
}
