"""A connection whose commands can be followed while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import Command, Completed, Connection
    from ensue.core.contracts.following import FollowedCommand


def following(connection: Connection, begin: Callable[[], FollowedCommand]) -> Connection:
    """Return a connection that reports what its commands write, if a person wants to read that.

    Args:
        connection: the connection.
        begin: called before a command whose `is_followed` is true.
    """
    return cast("Connection", _Following(connection, begin))


class _Following:
    """A connection that reports what its commands write; all else is the connection's own."""

    def __init__(self, connection: Connection, begin: Callable[[], FollowedCommand]) -> None:
        self._connection = connection
        self._begin = begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command, and report what it writes."""
        if not command.is_followed:
            return await self._connection.run(command)
        followed = self._begin()
        try:
            return await self._connection.run(msgspec.structs.replace(command, listener=followed))
        finally:
            followed.end()
