"""Nodes whose turn has come, and who goes on with them: the run's own task, or the one that has just ended.

The run's own task goes on with what is ready and sleeps when nothing is. A task that has called its node's
function goes on by itself with what thereby became ready, so that the next one begins at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.engine.node import Node

NODES_A_TURN: Final = 128
"""After so many nodes the event loop gets a turn, so that signals and running functions are heard."""


class Turns:
    """The queue of one run.

    Args:
        take: goes on with one node; starts tasks for what takes time.
    """

    def __init__(self, take: Callable[[Node], None]) -> None:
        self._take = take
        self._ready: deque[Node] = deque()
        self._is_attended = True
        self._is_asleep = False
        self._wake = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """Whether no node is ready."""
        return not self._ready

    def add(self, node: Node) -> None:
        """Have a node taken after those that are ready."""
        self._ready.append(node)
        if not self._is_attended:
            self._wake.set()

    def add_first(self, node: Node) -> None:
        """Have a node taken next."""
        self._ready.appendleft(node)
        if not self._is_attended:
            self._wake.set()

    def attend(self) -> None:
        """Do without the run's own task: who calls this calls `take_some` and `leave` in the same turn."""
        self._is_attended = True

    def leave(self) -> None:
        """Leave what is ready, and what will be, to the run's own task."""
        self._is_attended = not self._is_asleep
        if self._ready and self._is_asleep:
            self._wake.set()

    def take_some(self) -> None:
        """Go on with what is ready, and with what becomes so by that, as far as one turn allows."""
        ready, take = self._ready, self._take
        for _ in range(NODES_A_TURN):
            if not ready:
                return
            take(ready.popleft())

    def wake(self) -> None:
        """Have the run's own task look at how things stand."""
        self._wake.set()

    async def sleep(self) -> None:
        """Return when something is ready that nobody attends to, or the run's own task was woken."""
        self._wake.clear()
        self._is_asleep = True
        self._is_attended = False
        try:
            await self._wake.wait()
        finally:
            self._is_asleep = False
            self._is_attended = True
