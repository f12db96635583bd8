"""State module `postgres_tablespace`: tablespaces of a PostgreSQL server.

Source: Salt's state module `postgres_tablespace`, 3008. Unlike Salt's, a plan has `changes`, and owner and
options can change together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn
from ensue.library.states._postgres import SERVER, gone, server_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes(*SERVER)
async def present(
    ctx: StateContext,
    name: str,
    directory: str,
    *,
    options: list[Any] | dict[str, Any] | None = None,
    owner: str | None = None,
    **server: Any,
) -> StateReturn:
    """Create a tablespace, or change its owner and options.

    Args:
        name: name of the tablespace.
        directory: an empty folder on the server that belongs to the server's user.
        options: its options, a mapping or a list of mappings.
        owner: role that owns it.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        fast:
          postgres_tablespace.present:
            - directory: /srv/fast
            - owner: shop

    Returns:
        `changes` has the tablespace, with `Present`, or `owner` and `options`; `new_state` has
        `name directory owner options`.

    Raises:
        StateFailedError: the tablespace is in another folder, or the server reports an error.
    """
    asked = server_of(ctx, server)
    requested = _options(options)
    tablespace = await _found(ctx, name, asked)
    if tablespace is not None and tablespace["directory"] != directory:
        where = str(tablespace["directory"])
        raise StateFailedError(
            f"Tablespace {name} is in {where}, not in {directory}. This cannot be changed."
        )
    update: DataMap = {}
    if tablespace is not None:
        current = tablespace["options"] if isinstance(tablespace["options"], dict) else {}
        other: DataMap = {word: value for word, value in requested.items() if current.get(word) != value}
        update = {"owner": owner} if owner and owner != tablespace["owner"] else {}
        update |= {"options": other} if other else {}
        if not update:
            return StateReturn.unchanged(name, f"Tablespace {name} is already present", tablespace)
    changes: DataMap = {name: update or "Present"}
    verb = "changed" if update else "created"
    before = tablespace or {"name": name, "exists": False}
    if ctx.test:
        comment = f"Tablespace {name} is set to be {verb}"
        return StateReturn.planned(name, comment, changes, old_state=before)
    if update:
        given = {"new_owner": update.get("owner"), "set_option": update.get("options")}
        await ctx.call("postgres.tablespace_alter", name, **given, **asked)
    else:
        await ctx.call("postgres.tablespace_create", name, directory, options=requested, owner=owner, **asked)
    return StateReturn.changed(
        name,
        f"The tablespace {name} has been {verb}",
        changes,
        await _found(ctx, name, asked),
        old_state=before,
    )


@also_takes(*SERVER)
async def absent(ctx: StateContext, name: str, **server: Any) -> StateReturn:
    """Remove a tablespace.

    Args:
        name: name of the tablespace.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        fast:
          postgres_tablespace.absent

    Returns:
        `changes` has the tablespace, with `Absent`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the tablespace is not empty, or the server reports an error.
    """
    asked = server_of(ctx, server)
    there = await ctx.call("postgres.tablespace_exists", name, **asked)
    return await gone(
        ctx,
        name,
        "Tablespace",
        is_there=there,
        remove=lambda: ctx.call("postgres.tablespace_remove", name, **asked),
    )


async def _found(ctx: StateContext, name: str, asked: dict[str, Any]) -> DataMap | None:
    spaces: dict[str, dict[str, str]] = await ctx.call("postgres.tablespace_list", **asked)
    if name not in spaces:
        return None
    pairs = (each.partition("=") for each in spaces[name]["Opts"].strip("{}").split(",") if each)
    options: dict[str, Data] = {word: value for word, _, value in pairs}
    about = spaces[name]
    return {"name": name, "directory": about["Location"], "owner": about["Owner"], "options": options}


def _options(given: Any) -> dict[str, str]:
    entries: list[Any] = given if is_list(given) else [given or {}]
    return {str(word): str(value) for entry in entries if is_mapping(entry) for word, value in entry.items()}


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "db_host", "db_port")
