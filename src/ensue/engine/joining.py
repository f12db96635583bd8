"""Resources that join a run while it goes on: a plan is compiled beside it and opened when it is there.

The engine does not know where newcomers come from. A source of them is given a function, which it calls on
the event loop for each; the run ends only when every newcomer has joined.

Source: derived-resources document, "resources that appear during a highstate".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from ensue.contracts.growth import Plan


class Newcomer(msgspec.Struct, frozen=True):
    """A resource whose plan is not there yet.

    Args:
        label: what it is called when the run is stopped before its plan is there.
        plan: compiles the plan; what is wrong with it is a complaint of the plan.
    """

    label: str
    plan: Callable[[], Awaitable[Plan]]

    def with_plan(self, told: Callable[[Plan], None]) -> Newcomer:
        """Return the same newcomer; somebody else is told of the plan before it is opened."""

        async def plan() -> Plan:
            compiled = await self.plan()
            told(compiled)
            return compiled

        return Newcomer(self.label, plan)


Newcomers: TypeAlias = "Callable[[Callable[[Newcomer], None]], None]"
"""Is given what it calls, on the event loop, for every resource that is to join the run."""


class Joining:
    """The newcomers of one run whose plans are not there yet.

    Args:
        join: opens a plan.
        leave_out: notes the label of a newcomer that does not join, because the run was stopped.
        ended: called whenever a newcomer has joined or was left out.
    """

    def __init__(
        self, join: Callable[[Plan], None], leave_out: Callable[[str], None], ended: Callable[[], None]
    ) -> None:
        self._join = join
        self._leave_out = leave_out
        self._ended = ended
        self._group: asyncio.TaskGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopped = False

    @property
    def is_going_on(self) -> bool:
        """Whether plans are on their way."""
        return bool(self._tasks)

    def begin(self, group: asyncio.TaskGroup, newcomers: Newcomers | None) -> None:
        """Let newcomers join from now on; their plans are compiled in tasks of this group."""
        self._group = group
        if newcomers is not None:
            newcomers(self._admit)

    def stop(self) -> None:
        """Let no further resource join."""
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()

    def _admit(self, newcomer: Newcomer) -> None:
        if self._group is None or self._is_stopped:
            self._leave_out(newcomer.label)
            return
        task = self._group.create_task(self._opened(newcomer))
        self._tasks.add(task)

        def over(_: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if task.cancelled():
                self._leave_out(newcomer.label)
            self._ended()

        task.add_done_callback(over)

    async def _opened(self, newcomer: Newcomer) -> None:
        self._join(await newcomer.plan())
