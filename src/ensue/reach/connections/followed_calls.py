"""Following the commands of one call, from whatever thread they run in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.contracts.following import FollowedState
from ensue.reach.connections.followed_commands import following

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.following import Follow, FollowedCommand
    from ensue.engine.services import CallSite


def followed_connection(
    connection: Connection, follow: Follow, site: CallSite, loop: asyncio.AbstractEventLoop
) -> Connection:
    """Return a connection whose commands are followed.

    Args:
        connection: the connection of a state.
        follow: begins to follow a command.
        site: the call of the state.
        loop: the event loop of the run, which receives what commands write. The function of a state may run
            in another thread, with an event loop of its own.
    """
    chunk = site.chunk
    state = FollowedState(id=chunk.id, function=chunk.full_function, target=str(site.target))

    def begin() -> FollowedCommand:
        followed = follow(state)
        return followed if asyncio.get_running_loop() is loop else _FromThread(followed, loop)

    return following(connection, begin)


class _FromThread:
    """Hands everything over to the event loop of the run."""

    def __init__(self, followed: FollowedCommand, loop: asyncio.AbstractEventLoop) -> None:
        self._followed = followed
        self._call: Callable[..., object] = loop.call_soon_threadsafe

    def output(self, data: bytes) -> None:
        """Take a piece of its output."""
        self._call(self._followed.output, data)

    def errors(self, data: bytes) -> None:
        """Take a piece of its error output."""
        self._call(self._followed.errors, data)

    def end(self) -> None:
        """Take note that the command has ended."""
        self._call(self._followed.end)
