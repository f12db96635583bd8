"""Shared by the `postgres_…` state modules: the arguments that locate the server, and removal.

This module has no state functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_ARGUMENTS: Final = {
    "user": "runas",
    "maintenance_db": "maintenance_db",
    "db_host": "host",
    "db_port": "port",
    "db_user": "user",
    "db_password": "password",
}

SERVER: Final = tuple(_ARGUMENTS)
"""The arguments that locate the server."""


def server_of(ctx: StateContext, given: dict[str, Any]) -> dict[str, Any]:
    """Translate the arguments of a state that locate the server into those of execution functions.

    Args:
        ctx: the state's context, whose masker gets the password.
        given: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Raises:
        StateFailedError: an argument is unknown.
    """
    unknown = sorted(given.keys() - _ARGUMENTS.keys())
    if unknown:
        raise StateFailedError(f"unknown argument {unknown[0]}; known are {', '.join(_ARGUMENTS)}")
    if given.get("db_password"):
        ctx.masker.add(str(given["db_password"]))
    return {_ARGUMENTS[word]: value for word, value in given.items() if value is not None}


async def gone(
    ctx: StateContext, name: str, what: str, *, is_there: bool, remove: Callable[[], Awaitable[Any]]
) -> StateReturn:
    """Remove an object of the server.

    Args:
        name: its name.
        what: its kind, for the comment.
        is_there: whether it exists.
        remove: removes it.
    """
    new_state: DataMap = {"name": name, "exists": False}
    if not is_there:
        comment = f"{what} {name} is not present, so it cannot be removed"
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{what} {name} is set to be removed", {name: "Absent"})
    await remove()
    comment = f"{what} {name} has been removed"
    return StateReturn.changed(name, comment, {name: "Absent"}, new_state, old_state={"name": name})
