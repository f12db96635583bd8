"""Schemas and extensions of a database.

Source: Salt's execution module `postgres`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.postgres.server import PostgresServer, name_of, rows, run_sql, text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_SCHEMA: Final = """\
SELECT n.nspname AS name, pg_catalog.pg_get_userbyid(n.nspowner) AS owner
FROM pg_catalog.pg_namespace n WHERE n.nspname = {name};
"""
_EXTENSION: Final = """\
SELECT e.extversion, n.nspname AS schema_name, e.extrelocatable
FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = {name};
"""


async def schema_get(ctx: FunctionContext, dbname: str, name: str, **server: Any) -> dict[str, str] | None:
    """Return a schema's `owner`, None if the schema does not exist.

    Args:
        name: the schema.
        **server: `user`, `host`, `port`, `password`, `runas`; also with Salt's prefix, as `db_user`.

    Example:
        ensue call '*' postgres.schema_get shop archive
    """
    records = await rows(ctx, _inside(dbname, server), _SCHEMA.format(name=text_of(name)))
    return {"owner": records[0]["owner"]} if records else None


async def schema_exists(ctx: FunctionContext, dbname: str, name: str, **server: Any) -> bool:
    """Return whether a schema exists.

    Args:
        name: the schema.

    Example:
        ensue call '*' postgres.schema_exists shop archive
    """
    return await schema_get(ctx, dbname, name, **server) is not None


async def schema_create(
    ctx: FunctionContext, dbname: str, name: str, owner: str | None = None, **server: Any
) -> bool:
    """Create a schema; the arguments are those of `schema_get`.

    Args:
        name: the schema.

    Example:
        ensue call '*' postgres.schema_create shop archive
    """
    of = f" AUTHORIZATION {name_of(owner)}" if owner else ""
    await run_sql(ctx, _inside(dbname, server), f"CREATE SCHEMA {name_of(name)}{of};")
    return True


async def schema_remove(ctx: FunctionContext, dbname: str, name: str, **server: Any) -> bool:
    """Drop an empty schema; the arguments are those of `schema_get`.

    Args:
        name: the schema.

    Example:
        ensue call '*' postgres.schema_remove shop archive
    """
    await run_sql(ctx, _inside(dbname, server), f"DROP SCHEMA {name_of(name)};")
    return True


async def get_installed_extension(ctx: FunctionContext, name: str, **server: Any) -> dict[str, str]:
    """Return `extversion`, `schema_name` and `extrelocatable` of an extension, empty if it is not there.

    Args:
        name: the extension.

    Example:
        ensue call '*' postgres.get_installed_extension pg_trgm
    """
    records = await rows(ctx, PostgresServer.read(server), _EXTENSION.format(name=text_of(name)))
    return records[0] if records else {}


async def is_installed_extension(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Return whether an extension is installed.

    Args:
        name: the extension.

    Example:
        ensue call '*' postgres.is_installed_extension pg_trgm
    """
    return bool(await get_installed_extension(ctx, name, **server))


async def create_extension(
    ctx: FunctionContext,
    name: str,
    *,
    schema: str | None = None,
    ext_version: str | None = None,
    **server: Any,
) -> bool:
    """Create an extension, or change the version and schema of an existing one.

    Args:
        name: the extension.
        schema: its schema.
        ext_version: its version; by default the one that the server prefers.
        **server: see `schema_get`.

    Example:
        ensue call '*' postgres.create_extension pg_trgm
    """
    asked = PostgresServer.read(server)
    quoted = name_of(name)
    if not await is_installed_extension(ctx, name, **server):
        words = [f"SCHEMA {name_of(schema)}"] if schema else []
        words += [f"VERSION {text_of(str(ext_version))}"] if ext_version else []
        await run_sql(ctx, asked, f"CREATE EXTENSION IF NOT EXISTS {quoted} {' '.join(words)};")
        return True
    lines = [f"ALTER EXTENSION {quoted} UPDATE TO {text_of(str(ext_version))};"] if ext_version else []
    lines += [f"ALTER EXTENSION {quoted} SET SCHEMA {name_of(schema)};"] if schema else []
    await run_sql(ctx, asked, "\n".join(lines))
    return True


async def drop_extension(
    ctx: FunctionContext, name: str, *, restrict: bool = False, cascade: bool = False, **server: Any
) -> bool:
    """Drop an extension; with `cascade` also everything that depends on it.

    Args:
        name: the extension.
        restrict: refuse if something depends on it, which is the default.
        cascade: also drop everything that depends on it.

    Example:
        ensue call '*' postgres.drop_extension pg_trgm
    """
    how = " CASCADE" if cascade else " RESTRICT" if restrict else ""
    await run_sql(ctx, PostgresServer.read(server), f"DROP EXTENSION {name_of(name)}{how};")
    return True


def _inside(dbname: str, given: dict[str, Any]) -> PostgresServer:
    """Read the arguments of a server; next to Salt's `db_host` etc., `user` is the user who runs psql."""
    if any(word.startswith("db_") for word in given):
        plain = {word.removeprefix("db_"): value for word, value in given.items() if word.startswith("db_")}
        plain["runas"] = given.get("user")
    else:
        plain = dict(given)
    return PostgresServer.read({**plain, "maintenance_db": dbname})


FUNCTIONS: Final = by_name(
    create_extension, drop_extension, get_installed_extension, is_installed_extension,
    schema_create, schema_exists, schema_get, schema_remove,
)  # fmt: skip
