"""Nodes that are ready, and the tasks that carry them out.

Every node is carried out in the same way: a task takes it from the queue and awaits the coroutine that
carries it out. One task takes node after node, so nodes that wait for nothing need no task of their own.
While a node waits, its task waits with it and another task takes from the queue; when the node has ended,
its task takes from the queue again, unless another one does.

Source: eager tasks of Python 3.12 (`asyncio.eager_task_factory`), which likewise start a task only for a
coroutine that waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import copy_context
from typing import TYPE_CHECKING, Final

from ensue.core.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ensue.engine.node import Node

NODES_PER_TURN: Final = 128
"""After so many nodes the event loop gets a turn, to handle signals and continue running functions."""


class ReadyQueue:
    """The queue of one run.

    Args:
        carry_out: carries out one node; handles its cancellation, and raises only what ends the run.
        idle: called in a turn of the event loop in which no node is ready and no task takes from the queue.

    `in_hand` counts the nodes that are being carried out. `is_broken` is set if an exception ends the run; a
    cancellation then decides nothing about a node.
    """

    def __init__(
        self, carry_out: Callable[[Node], Coroutine[None, None, None]], idle: Callable[[], None]
    ) -> None:
        self.in_hand = 0
        self.is_broken = False
        self._carry_out = carry_out
        self._idle = idle
        self._ready: deque[Node] = deque()
        self._group: asyncio.TaskGroup | None = None
        self._context = copy_context()
        self._variables = tuple(self._context.items())
        self._taker: asyncio.Task[None] | None = None
        self._taker_has_node = False
        self._is_look_due = False

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Carry out nodes from now on, in tasks of this group."""
        self._group = group
        self.look_soon()

    @property
    def is_idle(self) -> bool:
        """Whether no node is ready and no task takes from the queue."""
        return not self._ready and self._taker is None

    def add(self, node: Node) -> None:
        """Add a node after those that are ready."""
        self._ready.append(node)
        if self._taker is None:
            self.look_soon()

    def add_first(self, node: Node) -> None:
        """Add a node that is carried out next."""
        self._ready.appendleft(node)
        if self._taker is None:
            self.look_soon()

    def look_soon(self) -> None:
        """Check in the next turn of the event loop whether a task takes from the queue."""
        if not self._is_look_due and self._group is not None:
            self._is_look_due = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """Let another task take from the queue if the one that did waits with its node."""
        self._is_look_due = False
        if self._taker_has_node:
            # No task is running while the event loop calls this.
            self._taker, self._taker_has_node = None, False
        if self._taker is not None or self.is_broken:
            return
        if self._ready:
            self._start_taker()
        else:
            self._idle()

    def _start_taker(self) -> None:
        if self._group is None:
            raise InternalError("a node was ready outside of a run")
        self._taker = self._group.create_task(self._take_nodes(), context=self._context.copy())

    async def _take_nodes(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise InternalError("nodes are carried out outside of a task")
        try:
            while self._taker is task and await self._take_some(task):  # noqa: ASYNC110 - waits for nothing
                await asyncio.sleep(0)
        except BaseException:
            self.is_broken = True
            raise
        finally:
            if self._taker is task:
                self._taker, self._taker_has_node = None, False
            self.look_soon()

    async def _take_some(self, task: asyncio.Task[None]) -> bool:
        """Carry out nodes as long as one turn of the event loop allows; return whether the task may go on."""
        self.look_soon()
        for _ in range(NODES_PER_TURN):
            if not self._ready:
                return False
            node = self._ready.popleft()
            self._taker_has_node = True
            self.in_hand += 1
            tasks = node.scope.tasks
            tasks.add(task)
            await self._carry_out(node)
            tasks.discard(task)
            self.in_hand -= 1
            if self._taker is not task:
                if self._taker is not None:
                    return False
                self._taker = task
                self.look_soon()
            self._taker_has_node = False
            if not self._is_as_new(task):
                return False
        return True

    def _is_as_new(self, task: asyncio.Task[None]) -> bool:
        """Reset context variables, and return whether a node left nothing else in its task.

        A cancellation that the node survived would end what follows, and a variable that was not set when the
        run began cannot be unset.
        """
        if task.cancelling() or len(copy_context()) != len(self._variables):
            return False
        for variable, value in self._variables:
            if variable.get() is not value:
                variable.set(value)
        return True
