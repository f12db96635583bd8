"""A connection that tells of every command it starts on this machine: a journal names its process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.connection import Command, Completed, Connection


def announcing(connection: Connection, announce: Callable[[Command, int], None]) -> Connection:
    """Return a connection that does what another does, and tells of its commands.

    Args:
        connection: the connection.
        announce: told of each command and its process id, once it runs.
    """
    return cast("Connection", _Announcing(connection, announce))


class _Announcing:
    """A connection that reports each command it runs; all else is the connection's own."""

    def __init__(self, connection: Connection, announce: Callable[[Command, int], None]) -> None:
        self._connection = connection
        self._announce = announce

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command, and tell of it."""
        told = msgspec.structs.replace(command, on_start=partial(self._announce, command))
        return await self._connection.run(told)
