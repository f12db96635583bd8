"""What the states of PostgreSQL share: Salt's names for where the server is, and who asks it.

It holds no state functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap

_ARGUMENTS: Final = {
    "user": "runas",
    "maintenance_db": "maintenance_db",
    "db_host": "host",
    "db_port": "port",
    "db_user": "user",
    "db_password": "password",
}

SERVER: Final = tuple(_ARGUMENTS)
"""The arguments of a state that say where the server is."""


def server_of(ctx: StateContext, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of execution functions for those of a state.

    Args:
        ctx: the state's context; its masker is told of the password.
        given: `user` (who runs psql), `maintenance_db`, `db_host`, `db_port`, `db_user`, `db_password`.

    Raises:
        StateFailedError: there is another one.
    """
    unknown = sorted(given.keys() - _ARGUMENTS.keys())
    if unknown:
        raise StateFailedError(f"there is no argument {unknown[0]}; there are {', '.join(_ARGUMENTS)}")
    if given.get("db_password"):
        ctx.masker.add(str(given["db_password"]))
    return {_ARGUMENTS[word]: value for word, value in given.items() if value is not None}


async def gone(
    ctx: StateContext, name: str, what: str, *, is_there: bool, remove: Callable[[], Awaitable[Any]]
) -> StateReturn:
    """Have a thing not be there.

    Args:
        ctx: the state's context.
        name: its name.
        what: what it is, as the comment says.
        is_there: whether it is.
        remove: removes it.
    """
    new_state: DataMap = {"name": name, "exists": False}
    if not is_there:
        comment = f"{what} {name} is not present, so it cannot be removed"
        return StateReturn(name=name, result=True, comment=comment, new_state=new_state)
    if ctx.test:
        comment = f"{what} {name} is set to be removed"
        return StateReturn(name=name, result=None, changes={name: "Absent"}, comment=comment)
    await remove()
    comment = f"{what} {name} has been removed"
    return StateReturn(
        name=name,
        result=True,
        changes={name: "Absent"},
        comment=comment,
        new_state=new_state,
        old_state={"name": name},
    )
