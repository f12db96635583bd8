"""The gate of an SSH host's sessions: a waiting call is admitted as soon as there is a place."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ensue.reach.resources.ssh_host.sessions import SessionGate

if TYPE_CHECKING:
    from collections.abc import Callable


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_session_that_lasts_makes_room_for_one_beside_it() -> None:
    """A server that allows one session, which then lasts: the command that waits is tried all the same."""

    async def scene() -> None:
        gate = SessionGate()
        lasting = contextlib.ExitStack()
        gate.refused(beside=await gate.enter(lasting))
        waiting = asyncio.create_task(gate.enter(contextlib.ExitStack()))
        await _settle()
        assert not waiting.done()
        gate.lasts(lasting)
        assert await waiting == 2

    asyncio.run(scene())


class Visitors:
    """Those that wait at a gate, are inside, or stay."""

    def __init__(self) -> None:
        self.gate = SessionGate()
        self.inside: list[tuple[contextlib.ExitStack, int]] = []
        self.lasting: list[contextlib.ExitStack] = []
        self.waiting: dict[asyncio.Task[int], contextlib.ExitStack] = {}

    def enter(self, _: int) -> None:
        """One more comes."""
        place = contextlib.ExitStack()
        self.waiting[asyncio.create_task(self.gate.enter(place))] = place

    def enter_last(self, _: int) -> None:
        """One comes that does not wait."""
        place = contextlib.ExitStack()
        if beside := self.gate.enter_last(place):
            self.inside.append((place, beside))

    def lasts(self, which: int) -> None:
        """One that is inside stays."""
        if self.inside:
            self.lasting.append(self.inside.pop(which % len(self.inside))[0])
            self.gate.lasts(self.lasting[-1])

    def refused(self, which: int) -> None:
        """The server refuses one that is inside, which leaves."""
        if self.inside:
            place, beside = self.inside.pop(which % len(self.inside))
            self.gate.refused(beside=beside)
            place.close()

    def leave(self, which: int) -> None:
        """One that is inside leaves, or else one that stayed."""
        if self.inside:
            self.inside.pop(which % len(self.inside))[0].close()
        elif self.lasting:
            self.lasting.pop().close()

    def cancel(self, which: int) -> None:
        """One that waits gives up."""
        if self.waiting:
            list(self.waiting)[which % len(self.waiting)].cancel()

    async def settle(self) -> None:
        """Let those enter that have been admitted."""
        await _settle()
        for task, place in list(self.waiting.items()):
            if task.done():
                del self.waiting[task]
                if not task.cancelled():
                    self.inside.append((place, task.result()))


_STEPS = [getattr(Visitors, name) for name in ("enter", "enter_last", "lasts", "refused", "leave", "cancel")]


@given(st.lists(st.tuples(st.sampled_from(_STEPS), st.integers(0, 30)), max_size=60))
def test_nobody_waits_beside_a_free_place(steps: list[tuple[Callable[[Visitors, int], None], int]]) -> None:
    """Whatever enters, lasts, is refused, leaves or gives up: places are free only while nobody waits."""

    async def scene() -> None:
        visitors = Visitors()
        gate = visitors.gate
        for step, which in steps:
            step(visitors, which)
            await visitors.settle()
            assert gate.active == len(visitors.inside) + len(visitors.lasting)
            assert not visitors.waiting or gate.active >= max(gate.limit - 1, len(visitors.lasting) + 1)
        while visitors.inside or visitors.lasting:
            visitors.leave(0)
            await visitors.settle()
        assert gate.active == len(visitors.waiting) == 0

    asyncio.run(scene())
