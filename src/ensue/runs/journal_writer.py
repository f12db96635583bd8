"""The thread that writes the journal of a run for the event loop, which must not wait for a disk itself.

Lines are handed over in order and written in that order, as many at a time as have been handed over. Nothing
acts before its intent is recorded: the caller awaits `recorded` between the two.
"""

from __future__ import annotations

import asyncio
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from ensue.errors import StoreError
from ensue.processes.threads import in_daemon_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.model.events import RunEvent
    from ensue.runs.journal import Journal, JournalLine


class _Mark(NamedTuple):
    """A place in the queue: everything before it is in the file when its future is done."""

    reached: asyncio.Future[None]
    is_last: bool


class JournalWriter:
    """Writes one journal in a thread of its own; made by `open`.

    Every method is called on the event loop.

    Args:
        journal: the journal; only the thread writes to its file from now on.
        on_error: called on the event loop, once, when the journal cannot be written.

    Raises:
        ThreadRefusedError: the machine refuses the thread.
    """

    def __init__(self, journal: Journal, on_error: Callable[[StoreError], None]) -> None:
        self._journal = journal
        self._on_error = on_error
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[JournalLine | _Mark] = SimpleQueue()
        self._error: StoreError | None = None
        self._is_closed = False
        in_daemon_thread(self._write_all, "ensue-journal")

    @classmethod
    async def open(
        cls, create: Callable[[], Journal], on_error: Callable[[StoreError], None]
    ) -> JournalWriter:
        """Create a journal off the event loop, and return its writer.

        Args:
            create: creates the journal.
            on_error: see the class.

        Raises:
            StoreError: the file cannot be made.
            ThreadRefusedError: the machine refuses a thread.
        """
        journal = await asyncio.wrap_future(in_daemon_thread(create, "ensue-journal-open"))
        return cls(journal, on_error)

    def write(self, event: RunEvent) -> None:
        """Hand an event over to be written."""
        self._queue.put(self._journal.line(event))

    async def recorded(self) -> None:
        """Wait until everything handed over so far is in the file.

        Raises:
            StoreError: something of it is not, because the journal cannot be written.
        """
        await self._reach(is_last=False)

    async def close(self) -> None:
        """Write what is left, close the file and end the thread; closing again does nothing.

        Raises:
            StoreError: something is not in the file.
        """
        if not self._is_closed:
            self._is_closed = True
            await self._reach(is_last=True)

    async def _reach(self, *, is_last: bool) -> None:
        reached: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Mark(reached, is_last))
        await reached

    def _write_all(self) -> None:
        """Write until the last mark; the body of the thread."""
        is_open = True
        while is_open:
            items = self._next_items()
            error = self._written([item for item in items if not isinstance(item, _Mark)])
            marks = [item for item in items if isinstance(item, _Mark)]
            if any(mark.is_last for mark in marks):
                is_open = False
                error = self._closed() or error
            if marks or error is not None:
                try:
                    self._loop.call_soon_threadsafe(self._report, marks, error)
                except RuntimeError:  # The loop is closed: nobody waits any more.
                    return

    def _next_items(self) -> list[JournalLine | _Mark]:
        """Wait for an item, and return it with all that have come after it."""
        items = [self._queue.get()]
        try:
            while True:
                items.append(self._queue.get_nowait())
        except Empty:
            return items

    def _written(self, lines: list[JournalLine]) -> StoreError | None:
        try:
            self._journal.append(*lines)
        except StoreError as error:
            return error
        return None

    def _closed(self) -> StoreError | None:
        try:
            self._journal.close()
        except StoreError as error:
            return error
        return None

    def _report(self, marks: list[_Mark], error: StoreError | None) -> None:
        """Tell those who wait; called on the event loop."""
        if error is not None and self._error is None:
            self._error = error
            self._on_error(error)
        for mark in marks:
            if mark.reached.done():  # The caller was cancelled.
                continue
            if error is None:
                mark.reached.set_result(None)
            else:
                mark.reached.set_exception(error)
