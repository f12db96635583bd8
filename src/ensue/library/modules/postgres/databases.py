"""Databases: list, create, alter and drop them.

Source: Salt's execution module `postgres`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.postgres.server import PostgresServer, name_of, rows_by_name, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_LIST: Final = """\
SELECT d.datname AS "Name", pg_catalog.pg_get_userbyid(d.datdba) AS "Owner",
 pg_catalog.pg_encoding_to_char(d.encoding) AS "Encoding", d.datcollate AS "Collate", d.datctype AS "Ctype",
 t.spcname AS "Tablespace"
FROM pg_catalog.pg_database d JOIN pg_catalog.pg_tablespace t ON t.oid = d.dattablespace ORDER BY 1;
"""


async def db_list(ctx: FunctionContext, **server: Any) -> dict[str, dict[str, str]]:
    """Return the databases by name, each with `Owner`, `Encoding`, `Collate`, `Ctype` and `Tablespace`.

    Args:
        **server: `user`, `host`, `port`, `maintenance_db`, `password`, `runas`; see `PostgresServer`.

    Raises:
        StateFailedError: the query fails.
    """
    return await rows_by_name(ctx, PostgresServer.read(server), _LIST)


async def db_exists(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Return whether a database exists.

    Example:
        ensue call '*' postgres.db_exists shop
    """
    return name in await db_list(ctx, **server)


async def db_create(
    ctx: FunctionContext,
    name: str,
    *,
    tablespace: str | None = None,
    encoding: str | None = None,
    lc_collate: str | None = None,
    lc_ctype: str | None = None,
    owner: str | None = None,
    template: str | None = None,
    **server: Any,
) -> bool:
    """Create a database.

    Args:
        tablespace: its tablespace.
        encoding: its character encoding.
        lc_collate: its collation order.
        lc_ctype: its character classification.
        template: the database to copy.

    Example:
        ensue call '*' postgres.db_create shop
    """
    words = {
        "TABLESPACE": name_of(tablespace) if tablespace else None,
        "OWNER": name_of(owner) if owner else None,
        "TEMPLATE": name_of(template) if template else None,
        "ENCODING": text_of(encoding) if encoding else None,
        "LC_COLLATE": text_of(lc_collate) if lc_collate else None,
        "LC_CTYPE": text_of(lc_ctype) if lc_ctype else None,
    }
    given = "".join(f" {word} = {value}" for word, value in words.items() if value)
    line = f"CREATE DATABASE {name_of(name)}{' WITH' if given else ''}{given};"
    await run_sql(ctx, PostgresServer.read(server), line, whole=False)
    return True


async def db_alter(
    ctx: FunctionContext, name: str, *, tablespace: str | None = None, owner: str | None = None, **server: Any
) -> bool:
    """Change the tablespace or the owner of a database.

    Args:
        tablespace: the new tablespace.
        owner: the role that becomes its owner.

    Example:
        ensue call '*' postgres.db_alter shop
    """
    asked = PostgresServer.read(server)
    if owner:
        await run_sql(ctx, asked, f"ALTER DATABASE {name_of(name)} OWNER TO {name_of(owner)};")
    if tablespace:
        line = f"ALTER DATABASE {name_of(name)} SET TABLESPACE {name_of(tablespace)};"
        await run_sql(ctx, asked, line, whole=False)
    return True


async def db_remove(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Drop a database with everything in it.

    Example:
        ensue call '*' postgres.db_remove shop
    """
    await run_sql(ctx, PostgresServer.read(server), f"DROP DATABASE {name_of(name)};", whole=False)
    return True
