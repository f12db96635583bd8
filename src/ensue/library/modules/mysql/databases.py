"""Databases: list, create, alter and drop them.

Args:
    name: the database.
    character_set: its default character set.
    collate: its default collation.

Source: Salt's extension `saltext-mysql`, 1.1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.mysql.server import MysqlServer, name_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_GET: Final = """\
SELECT DEFAULT_CHARACTER_SET_NAME AS character_set, DEFAULT_COLLATION_NAME AS collate_name
FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = {name};
"""
_WORD: Final = re.compile(r"\w+")


async def db_list(ctx: FunctionContext, **connection: Any) -> list[str]:
    """Return the names of the databases."""
    sql = "SELECT SCHEMA_NAME AS name FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1;"
    return [row["name"] or "" for row in await rows(ctx, MysqlServer.read(connection), sql)]


async def db_get(ctx: FunctionContext, name: str, **connection: Any) -> dict[str, str]:
    """Return `character_set` and `collate` of a database, an empty mapping if it does not exist.

    Example:
        ensue call '*' mysql.db_get shop
    """
    records = await rows(ctx, MysqlServer.read(connection), _GET.format(name=text_of(name)))
    if not records:
        return {}
    return {"character_set": records[0]["character_set"] or "", "collate": records[0]["collate_name"] or ""}


async def db_exists(ctx: FunctionContext, name: str, **connection: Any) -> bool:
    """Return whether a database exists.

    Example:
        ensue call '*' mysql.db_exists shop
    """
    return bool(await db_get(ctx, name, **connection))


async def db_tables(ctx: FunctionContext, name: str, **connection: Any) -> list[str]:
    """Return the names of a database's tables.

    Example:
        ensue call '*' mysql.db_tables shop
    """
    records = await rows(ctx, MysqlServer.read(connection), f"SHOW TABLES IN {name_of(name)};")
    return [next(iter(row.values())) or "" for row in records]


async def db_create(
    ctx: FunctionContext,
    name: str,
    character_set: str | None = None,
    collate: str | None = None,
    **connection: Any,
) -> bool:
    """Create a database.

    Example:
        ensue call '*' mysql.db_create shop
    """
    sql = f"CREATE DATABASE IF NOT EXISTS {name_of(name)}{_texts(character_set, collate)};"
    await run_sql(ctx, MysqlServer.read(connection), sql)
    return True


async def alter_db(
    ctx: FunctionContext,
    name: str,
    character_set: str | None = None,
    collate: str | None = None,
    **connection: Any,
) -> bool:
    """Change the default character set or collation of a database.

    Example:
        ensue call '*' mysql.alter_db shop
    """
    sql = f"ALTER DATABASE {name_of(name)}{_texts(character_set, collate)};"
    await run_sql(ctx, MysqlServer.read(connection), sql)
    return True


async def db_remove(ctx: FunctionContext, name: str, **connection: Any) -> bool:
    """Drop a database with everything in it.

    Example:
        ensue call '*' mysql.db_remove shop
    """
    await run_sql(ctx, MysqlServer.read(connection), f"DROP DATABASE {name_of(name)};")
    return True


def _texts(character_set: str | None, collate: str | None) -> str:
    words = ""
    for clause, value in (("CHARACTER SET", character_set), ("COLLATE", collate)):
        if value:
            if not _WORD.fullmatch(value):
                raise StateFailedError(f"{value!r} is neither a character set nor a collation")
            words += f" {clause} {value}"
    return words


FUNCTIONS: Final = by_name(alter_db, db_create, db_exists, db_get, db_list, db_remove, db_tables)
