"""A connection that announces every command that it starts on this machine, for the journal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import Command, Completed, Connection


def announcing(connection: Connection, announce: Callable[[Command, int], None]) -> Connection:
    """Return a connection that wraps another one and announces its commands.

    Args:
        connection: the connection.
        announce: called with each command and its process id once it runs.
    """
    return cast("Connection", _Announcing(connection, announce))


class _Announcing:
    """A connection that announces each command; everything else is delegated."""

    def __init__(self, connection: Connection, announce: Callable[[Command, int], None]) -> None:
        self._connection = connection
        self._announce = announce

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command, and announce it."""
        announced = msgspec.structs.replace(command, on_start=partial(self._announce, command))
        return await self._connection.run(announced)
