"""Compiling for many resources in one thread, one after the other, up to the first that has to wait.

A template that reads grains or runs a command waits for the event loop, in its thread. That resource keeps
the thread, so that nothing is rendered twice, and the resources after it can be compiled in another one.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.contracts.from_thread import noticing_waits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.model.srn import Srn


class CompilationRow:
    """Compiles for resources in a thread, which is started at once; made on the event loop.

    Args:
        compile_one: compiles for one resource, in the thread.
        srns: the resources.

    Attributes:
        waiting: the resource that has to wait; None as long as none has to.
        ended: ends with the thread.
    """

    def __init__(self, compile_one: Callable[[Srn], None], srns: Sequence[Srn]) -> None:
        self.waiting: Srn | None = None
        self._compile_one = compile_one
        self._srns = srns
        self._count = 0
        self._loop = asyncio.get_running_loop()
        self._waits = asyncio.Event()
        self.ended = asyncio.create_task(asyncio.to_thread(self._work))
        # A resource may have failed otherwise by the time its thread ends.
        self.ended.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def rest(self) -> Sequence[Srn]:
        """Return the resources after the one that has to wait; empty after all were compiled."""
        waits = asyncio.create_task(self._waits.wait())
        try:
            await asyncio.wait((self.ended, waits), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waits.cancel()
        if self.waiting is None:
            await self.ended
        return self._srns[self._count :]

    def _work(self) -> None:
        with noticing_waits(self._notice):
            while self.waiting is None and self._count < len(self._srns):
                self._count += 1
                self._compile_one(self._srns[self._count - 1])

    def _notice(self) -> None:
        if self.waiting is None:
            self.waiting = self._srns[self._count - 1]
            self._loop.call_soon_threadsafe(self._waits.set)
