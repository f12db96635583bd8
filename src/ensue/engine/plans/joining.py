"""Resources that join a running run: their plans are compiled meanwhile and opened when they are ready.

The engine does not know where newcomers come from. Their source receives a function, which it calls on the
event loop for each of them; the run ends only when every newcomer has joined.

Source: derived-resources document, "resources that appear during a highstate".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ensue.engine.promise import Promise

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.growth import Event, Plan
    from ensue.core.model.srn import Srn


class Newcomer(msgspec.Struct, frozen=True):
    """A resource whose plan is not ready yet.

    Args:
        label: its name if the run is stopped before its plan is ready.
        plan: compiles the plan; its errors are complaints of the plan.
        host: its SRN.
    """

    label: str
    plan: Callable[[], Awaitable[Plan]]
    host: str = ""

    def with_plan(self, replaced: Callable[[Plan], Awaitable[Plan]]) -> Newcomer:
        """Return the newcomer with a function that receives the plan, and returns the one that is opened."""

        async def plan() -> Plan:
            return await replaced(await self.plan())

        return Newcomer(self.label, plan, self.host)


Newcomers: TypeAlias = "Callable[[Callable[[Newcomer], None]], None]"
"""Receives the function to call, on the event loop, for every resource that joins the run."""


class PendingNewcomers:
    """The newcomers of one run whose plans are not ready yet.

    Args:
        join: opens a plan.
        leave_out: records a newcomer that does not join because the run was stopped.
        ended: called whenever a newcomer has joined or was left out.
    """

    def __init__(
        self, join: Callable[[Plan], None], leave_out: Callable[[Newcomer], None], ended: Callable[[], None]
    ) -> None:
        self._join = join
        self._leave_out = leave_out
        self._ended = ended
        self._group: asyncio.TaskGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._openings: dict[str, Promise[None]] = {}
        self._is_stopped = False

    @property
    def is_going_on(self) -> bool:
        """Whether plans are being compiled."""
        return bool(self._tasks)

    def opening(self, host: Srn) -> Event | None:
        """Return when a resource has joined or was left out; None if its plan is not being compiled."""
        return self._openings.get(str(host))

    def begin(self, group: asyncio.TaskGroup, newcomers: Newcomers | None) -> None:
        """Let newcomers join from now on; their plans are compiled in tasks of this group."""
        self._group = group
        if newcomers is not None:
            newcomers(self._admit)

    def stop(self) -> None:
        """Let no more resources join."""
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()

    def _admit(self, newcomer: Newcomer) -> None:
        if self._group is None or self._is_stopped:
            self._leave_out(newcomer)
            return
        task = self._group.create_task(self._opened(newcomer))
        self._tasks.add(task)
        opening = self._openings[newcomer.host] = Promise()

        def over(_: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            del self._openings[newcomer.host]
            opening.resolve(None)
            if task.cancelled():
                self._leave_out(newcomer)
            self._ended()

        task.add_done_callback(over)

    async def _opened(self, newcomer: Newcomer) -> None:
        self._join(await newcomer.plan())
