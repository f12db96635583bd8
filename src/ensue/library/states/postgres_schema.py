"""State module `postgres_schema`: schemas of a database.

Args:
    name: name of the schema.
    dbname: the database.
    **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

Source: Salt's state module `postgres_schema`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn
from ensue.library.states._postgres import SERVER, server_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*SERVER)
async def present(
    ctx: StateContext, name: str, dbname: str, owner: str | None = None, **server: Any
) -> StateReturn:
    """Create a schema in a database.

    Args:
        owner: owner of a new schema.

    Example:
        archive:
          postgres_schema.present:
            - dbname: shop
            - owner: shop

    Returns:
        `changes` has the schema; `new_state` has `name dbname owner`.

    Raises:
        StateFailedError: the server reports an error.
    """
    asked = server_of(ctx, server)
    schema = await ctx.call("postgres.schema_get", dbname, name, **asked)
    if schema is not None:
        comment = f"Schema {name} already exists in database {dbname}"
        return StateReturn.unchanged(name, comment, _state(name, dbname, schema))
    before = _state(name, dbname, None)
    if ctx.test:
        comment = f"Schema {name} is set to be created in database {dbname}."
        return StateReturn.planned(name, comment, {name: "Present"}, old_state=before)
    await ctx.call("postgres.schema_create", dbname, name, owner=owner, **asked)
    return StateReturn.changed(
        name,
        f"Schema {name} has been created in database {dbname}",
        {name: "Present"},
        _state(name, dbname, await ctx.call("postgres.schema_get", dbname, name, **asked)),
        old_state=before,
    )


@also_takes(*SERVER)
async def absent(ctx: StateContext, name: str, dbname: str, **server: Any) -> StateReturn:
    """Remove a schema from a database; the state fails if it is not empty.

    Example:
        archive:
          postgres_schema.absent:
            - dbname: shop

    Returns:
        `changes` has the schema; `new_state` has `name dbname exists`.

    Raises:
        StateFailedError: the server reports an error.
    """
    asked = server_of(ctx, server)
    schema = await ctx.call("postgres.schema_get", dbname, name, **asked)
    new_state = _state(name, dbname, None)
    if schema is None:
        comment = f"Schema {name} is not present in database {dbname}, so it cannot be removed"
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        comment = f"Schema {name} is set to be removed from database {dbname}"
        return StateReturn.planned(name, comment, {name: "Absent"})
    await ctx.call("postgres.schema_remove", dbname, name, **asked)
    return StateReturn.changed(
        name,
        f"Schema {name} has been removed from database {dbname}",
        {name: "Absent"},
        new_state,
        old_state=_state(name, dbname, schema),
    )


def _state(name: str, dbname: str, schema: dict[str, str] | None) -> DataMap:
    described: DataMap = {"name": name, "dbname": dbname}
    return described | ({"exists": False} if schema is None else {"owner": schema["owner"]})


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "dbname", "db_host", "db_port")
