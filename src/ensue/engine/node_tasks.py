"""The tasks of a run: who carries out which node, and what becomes of a node whose task is cancelled.

A task that has carried out its node may go on with another one (`pass_on`): no task is started and ended for
that, and the event loop need not turn. Every node is called with the context variables that the run began
with: those that a call has changed are set back. A task in which a call has set further ones, or has outlived
a cancellation, does not go on.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING

import msgspec

from ensue.engine.status import SETTLED
from ensue.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ensue.engine.executor import Started
    from ensue.engine.node import Node
    from ensue.engine.recorder import Start
    from ensue.model.returns import Return


class NodeCall(msgspec.Struct, frozen=True):
    """The call of a node's function, as a task has it in hand.

    Args:
        node: whose function is called.
        start: its beginning.
        started: the call, where it has begun already.
    """

    node: Node
    start: Start
    started: Started | None


class NodeTasks:
    """The tasks of one run.

    Args:
        cut: a node's task was cancelled; takes the node and what makes its return.
        ended: called whenever a task has ended.
    """

    def __init__(
        self, *, cut: Callable[[Node, Callable[[], Return]], None], ended: Callable[[], None]
    ) -> None:
        self.group: asyncio.TaskGroup | None = None
        self._cut = cut
        self._ended = ended
        self._context = copy_context()
        self._in_hand: dict[asyncio.Task[None], tuple[Node, Callable[[], Return]]] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._in_hand)

    def may_pass_on(self) -> bool:
        """Make the task that is running as good as a new one, and say whether that was possible."""
        task = asyncio.current_task()
        return task is not None and not task.cancelling() and self._set_back()

    def _set_back(self) -> bool:
        """Set context variables back; one that was not set when the run began cannot be."""
        now = copy_context()
        if len(now) != len(self._context):
            return False
        for variable, value in self._context.items():
            if now[variable] is not value:
                variable.set(value)
        return True

    def start(
        self, node: Node, work: Coroutine[None, None, None], if_cancelled: Callable[[], Return]
    ) -> None:
        """Start a task for a node.

        Args:
            node: the node.
            work: what the task does; it settles the node.
            if_cancelled: makes the node's return when the task was cancelled, which may happen
                before it did anything at all.
        """
        if self.group is None:
            raise InternalError("a node was started outside of a run")
        task = self.group.create_task(work, context=self._context.copy())
        node.scope.tasks.add(task)
        self._in_hand[task] = (node, if_cancelled)
        task.add_done_callback(self._over)

    def pass_on(self, node: Node, if_cancelled: Callable[[], Return]) -> None:
        """Let the task that is running go on with another node; see `start`."""
        task = asyncio.current_task()
        if task is None or task not in self._in_hand:
            raise InternalError("a node was passed on to nobody")
        self._in_hand[task][0].scope.tasks.discard(task)
        node.scope.tasks.add(task)
        self._in_hand[task] = (node, if_cancelled)

    def _over(self, task: asyncio.Task[None]) -> None:
        node, if_cancelled = self._in_hand.pop(task)
        node.scope.tasks.discard(task)
        if task.cancelled() and node.status is not SETTLED:
            self._cut(node, if_cancelled)
        self._ended()
