"""State module `mysql_database`: databases of a MySQL or MariaDB server.

Source: Salt's extension `saltext-mysql`, 1.1: results, changes and comments. Unlike Salt's, a plan
has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn
from ensue.library.states._mysql import CONNECTION

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*CONNECTION)
async def present(
    ctx: StateContext,
    name: str,
    *,
    character_set: str | None = None,
    collate: str | None = None,
    **connection: Any,
) -> StateReturn:
    """Create a database, or change its character set.

    Args:
        name: name of the database.
        character_set: its character set.
        collate: its collation.
        **connection: `connection_host connection_port connection_user connection_pass connection_db
            connection_unix_socket connection_default_file connection_charset`.

    Example:
        shop:
          mysql_database.present:
            - character_set: utf8mb4

    Returns:
        `changes` has the database, with `Present`, or `before` and `now` of `character_set` and `collate`;
        `new_state` has `name character_set collate`.

    Raises:
        StateFailedError: the server reports an error.
    """
    database: dict[str, str] = await ctx.call("mysql.db_get", name, **connection)
    requested = {"character_set": character_set, "collate": collate}
    update = {word: value for word, value in requested.items() if value and value != database.get(word)}
    if database and not update:
        return StateReturn.unchanged(name, f"Database {name} is already present", {"name": name, **database})
    changes: DataMap = {name: "Present"}
    planned = f"Database {name} is not present and needs to be created"
    done = f"The database {name} has been created"
    if database:
        changes = {word: {"before": database[word], "now": value} for word, value in update.items()}
        planned, done = f"Database {name} is going to be updated", f"Database {name} has been updated"
    before: DataMap = {"name": name, **(database or {"exists": False})}
    if ctx.test:
        return StateReturn.planned(name, planned, changes, old_state=before)
    function = "mysql.alter_db" if database else "mysql.db_create"
    await ctx.call(function, name, **requested, **connection)
    now: dict[str, str] = await ctx.call("mysql.db_get", name, **connection)
    return StateReturn.changed(name, done, changes, {"name": name, **now}, old_state=before)


@also_takes(*CONNECTION)
async def absent(ctx: StateContext, name: str, **connection: Any) -> StateReturn:
    """Remove a database with its content.

    Args:
        name: name of the database.
        **connection: the arguments `connection_…`, as for `present`.

    Example:
        shop:
          mysql_database.absent

    Returns:
        `changes` has the database, with `Absent`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the server reports an error.
    """
    gone: DataMap = {"name": name, "exists": False}
    if not await ctx.call("mysql.db_exists", name, **connection):
        return StateReturn.unchanged(name, f"Database {name} is not present, so it cannot be removed", gone)
    changes: DataMap = {name: "Absent"}
    if ctx.test:
        return StateReturn.planned(name, f"Database {name} is present and needs to be removed", changes)
    await ctx.call("mysql.db_remove", name, **connection)
    return StateReturn.changed(name, f"Database {name} has been removed", changes, gone)


FUNCTIONS: Final = placed(
    by_name(absent, present, make_only=()), "connection_host", "connection_port", "connection_unix_socket"
)
