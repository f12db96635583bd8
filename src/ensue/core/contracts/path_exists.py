"""A `STILL_EXISTS` for state modules whose names are paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection


async def path_exists(connection: Connection, name: str) -> bool:
    """Return whether there is something at a path; a name that is none may be anything."""
    return not name.startswith("/") or await connection.stat(name) is not None
