"""State module `postgres_database`: databases of a PostgreSQL server.

Differences from Salt:
    A plan lists the changes, and a change of parameters has their values. `owner_recurse` is refused.

Source: Salt's state module `postgres_database`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states._postgres import SERVER, gone, server_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_KEYS: Final = {
    "Tablespace": "tablespace",
    "Encoding": "encoding",
    "Collate": "lc_collate",
    "Ctype": "lc_ctype",
    "Owner": "owner",
}


@also_takes(*SERVER)
async def present(
    ctx: StateContext,
    name: str,
    *,
    tablespace: str | None = None,
    encoding: str | None = None,
    lc_collate: str | None = None,
    lc_ctype: str | None = None,
    owner: str | None = None,
    owner_recurse: bool = False,
    template: str | None = None,
    **server: Any,
) -> StateReturn:
    """Create a database, or change its owner or tablespace.

    Args:
        name: name of the database.
        tablespace: its tablespace.
        encoding: its character encoding, which cannot be changed later.
        lc_collate: its collation, which cannot be changed later.
        lc_ctype: its character classification, which cannot be changed later.
        owner: the role that owns it.
        owner_recurse: refused; change the owner of its objects with SQL.
        template: the database to copy a new one from.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        shop:
          postgres_database.present:
            - owner: shop
            - encoding: UTF8

    Returns:
        `changes` has the database, with `Present`, or `old` and `new` of `owner` and `tablespace`.
        `new_state` has `name owner encoding lc_collate lc_ctype tablespace`.

    Raises:
        StateFailedError: the server reports an error, or the change is impossible.
    """
    if owner_recurse:
        raise StateFailedError("owner_recurse: ensue changes only the owner of the database itself")
    asked = server_of(ctx, server)
    databases: dict[str, dict[str, str]] = await ctx.call("postgres.db_list", **asked)
    database = databases.get(name)
    fixed = {"Encoding": encoding, "Collate": lc_collate, "Ctype": lc_ctype}
    loose = {"Tablespace": tablespace, "Owner": owner}
    if database is not None:
        if any(value and database[word].lower() != value.lower() for word, value in fixed.items()):
            comment = f"Database {name} has wrong parameters which couldn't be changed on fly."
            return StateReturn.failed(name, comment)
        if not _changes(database, loose):
            return StateReturn.unchanged(name, f"Database {name} is already present", _state(name, database))
    changes: DataMap = {name: "Present" if database is None else _changes(database, loose)}
    before = _state(name, database)
    if ctx.test:
        what = "is set to be created" if database is None else "exists, but parameters need to be changed"
        return StateReturn.planned(name, f"Database {name} {what}", changes, old_state=before)
    if database is None:
        new = {"encoding": encoding, "lc_collate": lc_collate, "lc_ctype": lc_ctype, "template": template}
        await ctx.call("postgres.db_create", name, tablespace=tablespace, owner=owner, **new, **asked)
        comment = f"The database {name} has been created"
    else:
        await ctx.call("postgres.db_alter", name, tablespace=tablespace, owner=owner, **asked)
        comment = f"Parameters for database {name} have been changed"
    databases = await ctx.call("postgres.db_list", **asked)
    return StateReturn.changed(name, comment, changes, _state(name, databases[name]), old_state=before)


@also_takes(*SERVER)
async def absent(ctx: StateContext, name: str, **server: Any) -> StateReturn:
    """Remove a database with its content.

    Args:
        name: name of the database.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        shop:
          postgres_database.absent

    Returns:
        `changes` has the database; `new_state` has `name exists`.
    """
    asked = server_of(ctx, server)
    there = await ctx.call("postgres.db_exists", name, **asked)
    return await gone(
        ctx, name, "Database", is_there=there, remove=lambda: ctx.call("postgres.db_remove", name, **asked)
    )


def _changes(database: dict[str, str], requested: dict[str, str | None]) -> DataMap:
    return {
        _KEYS[word]: {"old": database[word], "new": value}
        for word, value in requested.items()
        if value and database[word] != value
    }


def _state(name: str, database: dict[str, str] | None) -> DataMap:
    if database is None:
        return {"name": name, "exists": False}
    return {"name": name, **{key: database[word] for word, key in _KEYS.items()}}


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "db_host", "db_port")
