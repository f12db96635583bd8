"""Passes the writes that begin in one turn of the event loop to a thread together.

A write waits for the disk, so it does not run on the event loop, but a hop to a thread and back costs as much
as writing a small file. States that write several files at a time pay for one hop per batch; the case
`recurse-2000` of the benchmarks shows it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.errors import ThreadRefusedError
from ensue.reach.resources.minion.atomic_write import write_each_atomically
from ensue.reach.resources.threads import result_of

if TYPE_CHECKING:
    from ensue.reach.resources.minion.atomic_write import Noted, WriteRequest

MOST_IN_BATCH: Final = 16
"""How many writes share a thread, one after the other; further ones get another thread."""

_Outcomes = list[BaseException | None]


class WriteBatches:
    """The writes that wait for the end of the current turn, by event loop.

    Args:
        noted: records temporary files.
    """

    def __init__(self, noted: Noted) -> None:
        self._noted = noted
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}

    async def write(self, request: WriteRequest, content: bytes) -> None:
        """Write a file atomically, in a thread; if cancelled, still wait for its end.

        Args:
            request: the file.
            content: its whole new content.

        Raises:
            OSError: the file cannot be written, and has not changed; the others of the batch are written.
            ThreadRefusedError: the machine refuses one more thread.
        """
        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop)
        if batch is None:
            batch = self._batches[loop] = _Batch(loop)
            loop.call_soon(self._begin, loop, batch)
        place = len(batch.writes)
        batch.writes.append((request, content))
        if len(batch.writes) == MOST_IN_BATCH:
            del self._batches[loop]
        outcomes = await result_of(batch.outcomes)
        error = outcomes[place]
        if error is not None:
            raise error

    def _begin(self, loop: asyncio.AbstractEventLoop, batch: _Batch) -> None:
        if self._batches.get(loop) is batch:
            del self._batches[loop]
        batch.begin(self._noted)


class _Batch:
    """Writes of one turn.

    Args:
        loop: the event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.writes: list[tuple[WriteRequest, bytes]] = []
        self.outcomes: asyncio.Future[_Outcomes] = loop.create_future()
        self._loop = loop

    def begin(self, noted: Noted) -> None:
        """Carry out the writes in a thread."""
        try:
            running = self._loop.run_in_executor(None, write_each_atomically, self.writes, noted)
        except (ThreadRefusedError, RuntimeError) as error:  # The latter: the loop is closing.
            self.outcomes.set_exception(error)
        else:
            running.add_done_callback(self._end)

    def _end(self, running: asyncio.Future[_Outcomes]) -> None:
        self.outcomes.set_result(running.result())
