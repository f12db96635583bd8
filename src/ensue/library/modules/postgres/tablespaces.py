"""Tablespaces: list, create, alter and drop them.

Source: Salt's execution module `postgres`, 3008; PostgreSQL's manual, "CREATE TABLESPACE".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.postgres.server import PostgresServer, name_of, rows_by_name, run_sql, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

_LIST: Final = """\
SELECT t.spcname AS "Name", pg_catalog.pg_get_userbyid(t.spcowner) AS "Owner", t.spcacl AS "ACL",
 t.spcoptions AS "Opts", pg_catalog.pg_tablespace_location(t.oid) AS "Location"
FROM pg_catalog.pg_tablespace t ORDER BY 1;
"""
_WORD: Final = re.compile(r"[a-z_]+")


async def tablespace_list(ctx: FunctionContext, **server: Any) -> dict[str, dict[str, str]]:
    """Return the tablespaces by name, each with `Owner`, `ACL`, `Opts` and `Location`.

    Args:
        **server: `user`, `host`, `port`, `maintenance_db`, `password`, `runas`.
    """
    return await rows_by_name(ctx, PostgresServer.read(server), _LIST)


async def tablespace_exists(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Return whether a tablespace exists.

    Args:
        name: the tablespace.

    Example:
        ensue call '*' postgres.tablespace_exists fast
    """
    return name in await tablespace_list(ctx, **server)


async def tablespace_create(
    ctx: FunctionContext,
    name: str,
    location: str,
    *,
    options: Mapping[str, Any] | None = None,
    owner: str | None = None,
    **server: Any,
) -> bool:
    """Create a tablespace.

    Args:
        name: the tablespace.
        location: an empty folder on the server, owned by the server's user.
        options: its options (`seq_page_cost`, `random_page_cost`, …).
        **server: see `tablespace_list`.

    Example:
        ensue call '*' postgres.tablespace_create fast /srv/postgresql/fast
    """
    of = f" OWNER {name_of(owner)}" if owner else ""
    with_ = f" WITH ({_written(options)})" if options else ""
    sql = f"CREATE TABLESPACE {name_of(name)}{of} LOCATION {text_of(location)}{with_};"
    await run_sql(ctx, PostgresServer.read(server), sql, whole=False)
    return True


async def tablespace_alter(
    ctx: FunctionContext,
    name: str,
    *,
    new_owner: str | None = None,
    set_option: Mapping[str, Any] | None = None,
    **server: Any,
) -> bool:
    """Change the owner or options of a tablespace.

    Args:
        name: the tablespace.
        new_owner: the role that becomes its owner.
        set_option: the options to set, by name.

    Example:
        ensue call '*' postgres.tablespace_alter fast
    """
    lines = [f"ALTER TABLESPACE {name_of(name)} OWNER TO {name_of(new_owner)};"] if new_owner else []
    lines += [f"ALTER TABLESPACE {name_of(name)} SET ({_written(set_option)});"] if set_option else []
    await run_sql(ctx, PostgresServer.read(server), "\n".join(lines))
    return True


async def tablespace_remove(ctx: FunctionContext, name: str, **server: Any) -> bool:
    """Drop an empty tablespace.

    Args:
        name: the tablespace.

    Example:
        ensue call '*' postgres.tablespace_remove fast
    """
    await run_sql(ctx, PostgresServer.read(server), f"DROP TABLESPACE {name_of(name)};", whole=False)
    return True


def _written(options: Mapping[str, Any]) -> str:
    unknown = [word for word in options if not _WORD.fullmatch(word)]
    if unknown:
        raise StateFailedError(f"a tablespace has no option {unknown[0]}")
    return ", ".join(f"{word} = {text_of(str(value))}" for word, value in options.items())


FUNCTIONS: Final = by_name(
    tablespace_alter, tablespace_create, tablespace_exists, tablespace_list, tablespace_remove
)
