"""State module `postgres_extension`: extensions of a database, which `maintenance_db` names.

Source: Salt's state module `postgres_extension`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn
from ensue.library.states._postgres import SERVER, gone, server_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(*SERVER)
async def present(
    ctx: StateContext,
    name: str,
    *,
    schema: str | None = None,
    ext_version: str | None = None,
    if_not_exists: bool | None = None,
    **server: Any,
) -> StateReturn:
    """Create an extension in a database, or update it.

    Args:
        name: name of the extension.
        schema: its schema.
        ext_version: its version; an existing extension is updated to it.
        if_not_exists: accepted, as in Salt, without effect.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        pg_trgm:
          postgres_extension.present:
            - maintenance_db: shop

    Returns:
        `changes` has the extension; `new_state` has `name version schema`.

    Raises:
        StateFailedError: the server reports an error, for example because the extension is not installed.
    """
    del if_not_exists
    asked = server_of(ctx, server)
    extension: dict[str, str] = await ctx.call("postgres.get_installed_extension", name, **asked)
    is_other = bool(ext_version) and extension.get("extversion") != str(ext_version)
    is_elsewhere = bool(schema) and extension.get("schema_name") != schema
    if extension and not is_other and not is_elsewhere:
        return StateReturn.unchanged(name, f"Extension {name} is already present", _state(name, extension))
    verb = "upgrade" if extension else "install"
    done = f"{verb}ed".replace("eed", "ed")
    changes: DataMap = {name: done.capitalize()}
    if ctx.test:
        comment = f"Extension {name} is set to be {done}"
        return StateReturn.planned(name, comment, changes, old_state=_state(name, extension))
    new = {"schema": schema if is_elsewhere else None, "ext_version": ext_version if is_other else None}
    await ctx.call("postgres.create_extension", name, **new, **asked)
    now = await ctx.call("postgres.get_installed_extension", name, **asked)
    return StateReturn.changed(
        name,
        f"The extension {name} has been {done}",
        changes,
        _state(name, now),
        old_state=_state(name, extension),
    )


@also_takes(*SERVER)
async def absent(
    ctx: StateContext,
    name: str,
    *,
    restrict: bool | None = None,
    cascade: bool | None = None,
    if_exists: bool | None = None,
    **server: Any,
) -> StateReturn:
    """Remove an extension from a database.

    Args:
        name: name of the extension.
        restrict: fail if other objects depend on it, which is the default.
        cascade: also remove the objects that depend on it.
        if_exists: accepted, as in Salt, without effect.
        **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Example:
        pg_trgm:
          postgres_extension.absent:
            - maintenance_db: shop

    Returns:
        `changes` has the extension; `new_state` has `name exists`.
    """
    del if_exists
    asked = server_of(ctx, server)
    there = await ctx.call("postgres.is_installed_extension", name, **asked)

    def remove() -> Any:
        how = {"restrict": bool(restrict), "cascade": bool(cascade)}
        return ctx.call("postgres.drop_extension", name, **how, **asked)

    return await gone(ctx, name, "Extension", is_there=there, remove=remove)


def _state(name: str, extension: dict[str, str]) -> DataMap:
    if not extension:
        return {"name": name, "exists": False}
    return {"name": name, "version": extension["extversion"], "schema": extension["schema_name"]}


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "db_host", "db_port", "maintenance_db")
