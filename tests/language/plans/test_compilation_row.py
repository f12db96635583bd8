"""Resources that are compiled in one thread, one after the other, up to the first that has to wait."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from ensue.core.contracts.from_thread import from_thread
from ensue.core.model.srn import Srn
from ensue.language.plans.compilation_row import CompilationRow

if TYPE_CHECKING:
    from collections.abc import Callable

SRNS = [Srn("dummy", f"box-{number}") for number in range(5)]


class Compilations:
    """Compilations that note their resource, and wait for an event if the resource is a slow one."""

    def __init__(self, *slow: Srn) -> None:
        self.begun: list[Srn] = []
        self.ended: list[Srn] = []
        self.threads: set[int] = set()
        self.answers = asyncio.Event()
        self._slow = slow
        self._loop = asyncio.get_running_loop()

    def compile_one(self, srn: Srn) -> None:
        self.begun.append(srn)
        self.threads.add(threading.get_ident())
        if srn in self._slow:
            from_thread(self.answers.wait(), self._loop)
        self.ended.append(srn)


def test_resources_that_need_not_wait_share_a_thread() -> None:
    """All are compiled in one thread beside the event loop, in their order, and none is left."""

    async def run() -> None:
        compilations = Compilations()
        row = CompilationRow(compilations.compile_one, SRNS)
        assert list(await row.rest()) == []
        assert row.waiting is None
        assert compilations.ended == SRNS
        assert len(compilations.threads) == 1
        assert threading.get_ident() not in compilations.threads

    asyncio.run(run())


def test_the_first_that_waits_keeps_its_thread() -> None:
    """The resources after it are returned while it waits, and none is begun twice."""

    async def run() -> None:
        compilations = Compilations(SRNS[1], SRNS[2])
        first = CompilationRow(compilations.compile_one, SRNS)
        rest = await first.rest()
        assert (first.waiting, rest) == (SRNS[1], SRNS[2:])
        second = CompilationRow(compilations.compile_one, rest)
        rest = await second.rest()
        assert (second.waiting, rest) == (SRNS[2], SRNS[3:])
        assert await CompilationRow(compilations.compile_one, rest).rest() == []
        assert compilations.ended == [SRNS[0], *SRNS[3:]]
        compilations.answers.set()
        await asyncio.gather(first.ended, second.ended)
        assert sorted(compilations.begun) == sorted(compilations.ended) == SRNS

    asyncio.run(run())


@pytest.mark.parametrize("waits", [False, True])
def test_an_exception_of_a_plug_in_reaches_who_waits_for_it(*, waits: bool) -> None:
    """It ends the row: `rest` raises it, or `ended` if the resource has waited before."""

    def failing(compile_one: Callable[[Srn], None]) -> Callable[[Srn], None]:
        def compile_and_fail(srn: Srn) -> None:
            compile_one(srn)
            raise RuntimeError(srn.id)

        return compile_and_fail

    async def run() -> None:
        compilations = Compilations(*SRNS[: int(waits)])
        row = CompilationRow(failing(compilations.compile_one), SRNS)
        if waits:
            assert await row.rest() == SRNS[1:]
            compilations.answers.set()
        with pytest.raises(RuntimeError, match="box-0"):
            await (row.ended if waits else row.rest())

    asyncio.run(run())
