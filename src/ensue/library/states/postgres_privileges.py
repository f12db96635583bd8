"""State module `postgres_privileges`: privileges of roles of a PostgreSQL server.

Differences from Salt:
    Privileges are read from the access list of the object, or are PostgreSQL's defaults if it has none, so
    the owner has all of them. `ALL` means the privileges that this server has for the type. A `grant_option`
    is checked only for the requested privileges, and `ALL` tables are checked one by one. In these three
    cases the second run of Salt changes something again.

Args:
    name: the role.
    object_type: `table sequence schema tablespace language database function` or `group`.
    privileges: the privileges, a list or a text with commas; none for a group.
    prepend: the schema of a table, sequence or function.
    **server: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

Source: Salt's state module `postgres_privileges`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states._postgres import SERVER, server_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes(*SERVER)
async def present(
    ctx: StateContext,
    name: str,
    object_name: str,
    object_type: str,
    *,
    privileges: str | list[str] | None = None,
    grant_option: bool | None = None,
    prepend: str = "public",
    **server: Any,
) -> StateReturn:
    """Grant a role privileges on an object, or membership in a group.

    Args:
        object_name: the object; `ALL` is every table, sequence or function of the schema.
        grant_option: the role may grant them to others.

    Example:
        readers:
          postgres_privileges.present:
            - object_name: orders
            - object_type: table
            - privileges: [SELECT]
            - maintenance_db: shop

    Returns:
        `changes` has the role, with `Present`; `new_state` has `name object_name object_type privileges`.

    Raises:
        StateFailedError: the object or privilege does not exist, or the server reports an error.
    """
    words = _words(privileges)
    asked = {"privileges": ",".join(words), "prepend": prepend, **server_of(ctx, server)}
    about = (name, object_name, object_type)
    new_state = _state(name, object_name, object_type, words)
    if await ctx.call("postgres.has_privileges", *about, grant_option=grant_option, **asked):
        return StateReturn.unchanged(name, "The requested privilege(s) are already set", new_state)
    what = object_name if object_type == "group" else ",".join(words)
    changes: DataMap = {name: "Present"}
    if ctx.test:
        return StateReturn.planned(name, f"The privilege(s): {what} are set to be granted to {name}", changes)
    await ctx.call("postgres.privileges_grant", *about, grant_option=grant_option, **asked)
    comment = f"The privilege(s): {what} have been granted to {name}"
    return StateReturn.changed(name, comment, changes, new_state)


@also_takes(*SERVER)
async def absent(
    ctx: StateContext,
    name: str,
    object_name: str,
    object_type: str,
    *,
    privileges: str | list[str] | None = None,
    prepend: str = "public",
    **server: Any,
) -> StateReturn:
    """Revoke privileges of a role on an object, or its membership in a group.

    As in Salt, nothing is revoked if the role lacks one of the privileges.

    Args:
        object_name: the object.

    Example:
        readers:
          postgres_privileges.absent:
            - object_name: orders
            - object_type: table
            - maintenance_db: shop

    Returns:
        `changes` has the role, with `Absent`; `new_state` has
        `name object_name object_type privileges exists`.

    Raises:
        StateFailedError: the object or privilege does not exist, or the server reports an error.
    """
    words = _words(privileges)
    asked = {"privileges": ",".join(words), "prepend": prepend, **server_of(ctx, server)}
    about = (name, object_name, object_type)
    new_state: DataMap = {**_state(name, object_name, object_type, words), "exists": False}
    if not await ctx.call("postgres.has_privileges", *about, **asked):
        comment = "The requested privilege(s) are not set so cannot be revoked"
        return StateReturn.unchanged(name, comment, new_state)
    what = object_name if object_type == "group" else ",".join(words)
    changes: DataMap = {name: "Absent"}
    if ctx.test:
        comment = f"The privilege(s): {what} are set to be revoked from {name}"
        return StateReturn.planned(name, comment, changes)
    await ctx.call("postgres.privileges_revoke", *about, **asked)
    comment = f"The privilege(s): {what} have been revoked from {name}"
    return StateReturn.changed(name, comment, changes, new_state)


def _words(privileges: str | list[str] | None) -> list[str]:
    listed = privileges if is_list(privileges) else str(privileges or "").split(",")
    return [str(word).strip() for word in listed if str(word).strip()]


def _state(name: str, object_name: str, object_type: str, words: list[str]) -> DataMap:
    listed: list[Data] = [*words]
    return {
        "name": name, "object_name": object_name, "object_type": object_type, "privileges": listed,
    }  # fmt: skip


FUNCTIONS: Final = placed(
    by_name(absent, present, make_only=()),
    "object_type",
    "object_name",
    "prepend",
    "db_host",
    "db_port",
    "maintenance_db",
)
