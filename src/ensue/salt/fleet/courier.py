"""Sends what minions need of each other while the coordinator goes on to read what they report."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.errors import ConfigurationError
from ensue.salt.fleet.frames import CoordinatorMessage
from ensue.salt.fleet.value_messages import kind_of, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.diagnostics import Diagnostic
    from ensue.salt.fleet.channel import MinionChannel
    from ensue.salt.fleet.value_messages import Handed


class Courier:
    """Sends messages in tasks of its own, which `end` waits for.

    Args:
        channel: publishes messages.

    Attributes:
        channel: the channel.
        unsent: why messages could not be sent; what waits for them fails at the deadline of the run.
    """

    def __init__(self, channel: MinionChannel) -> None:
        self.channel = channel
        self.unsent: list[Diagnostic] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, minion: str, message: Handed, then: Callable[[], None] = lambda: None) -> None:
        """Send a message to a minion soon.

        Args:
            minion: the minion.
            message: the message.
            then: called when it is sent, or cannot be.
        """
        content = CoordinatorMessage(kind_of(message), plain(message))
        task = asyncio.create_task(self._sent(minion, content))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: then())

    async def end(self) -> None:
        """Return when everything is sent."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _sent(self, minion: str, message: CoordinatorMessage) -> None:
        try:
            await self.channel.tell(minion, message)
        except ConfigurationError as error:
            self.unsent += [diagnostic for diagnostic in error.diagnostics if diagnostic not in self.unsent]
