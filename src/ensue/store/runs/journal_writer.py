"""The thread that writes the journal of a run for the event loop, which must not depend on a disk.

Lines are written in the order of their events, as many at a time as there are. Nothing acts before its
intent is recorded: the caller awaits `recorded` between the two. The event loop itself waits for that, but
only for `BRIEF_S`: a disk that answers needs some microseconds, and a turn of the loop costs more than most
states. What takes longer is awaited while the loop goes on.
"""

from __future__ import annotations

import asyncio
from _thread import allocate_lock
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StoreError
from ensue.reach.processes.threads import in_daemon_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.events import RunEvent
    from ensue.store.runs.journal import Journal, JournalLine

BRIEF_S: Final = 0.001
"""How long the event loop waits for the thread itself. It bounds a delay, and decides nothing else."""


class _Mark:
    """A place in the queue that the thread reaches when everything before it is written.

    Args:
        is_last: whether nothing comes after it.
    """

    __slots__ = ("_lock", "error", "is_last", "waiting")

    def __init__(self, *, is_last: bool) -> None:
        self.is_last = is_last
        self.error: StoreError | None = None
        """Why something before it is not in the file."""
        self.waiting: asyncio.Future[None] | None = None
        """Resolved when the mark is reached, if the event loop has stopped waiting itself."""
        self._lock = allocate_lock()
        self._lock.acquire()

    def reach(self, error: StoreError | None) -> None:
        """Note that it is reached; called in the thread."""
        self.error = error
        self._lock.release()

    def is_reached(self, timeout_s: float = 0) -> bool:
        """Return whether it is reached, at the latest after a time; not called again after True."""
        return self._lock.acquire(timeout=timeout_s) if timeout_s else self._lock.acquire(blocking=False)


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
        self._queue: SimpleQueue[list[JournalLine | _Mark]] = SimpleQueue()
        self._pending: list[JournalLine | _Mark] = []
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
        """Have an event written, in this turn of the event loop or the next."""
        if not self._pending:
            self._loop.call_soon(self._hand_over)
        self._pending.append(self._journal.line(event))

    async def recorded(self) -> None:
        """Wait until every event so far is in the file.

        Raises:
            StoreError: something of it is not, because the journal cannot be written.
        """
        await self._reach(_Mark(is_last=False))
        while self._pending:  # What has ended during a wait is recorded before something else begins.
            await self._reach(_Mark(is_last=False))

    async def close(self) -> None:
        """Write what is left, close the file and end the thread; closing again does nothing.

        Raises:
            StoreError: something is not in the file.
        """
        if not self._is_closed:
            self._is_closed = True
            await self._reach(_Mark(is_last=True))

    async def _reach(self, mark: _Mark) -> None:
        self._pending.append(mark)
        self._hand_over()
        if not mark.is_reached(BRIEF_S):
            mark.waiting = self._loop.create_future()
            # The thread looks for `waiting` after it has reached the mark: one of the two sees the other.
            if not mark.is_reached():
                await mark.waiting
        if mark.error is not None:
            self._note(mark.error)
            raise mark.error

    def _hand_over(self) -> None:
        """Give everything that is pending to the thread: waking that costs more than writing a line."""
        pending, self._pending = self._pending, []
        if pending:
            self._queue.put(pending)

    def _note(self, error: StoreError) -> None:
        if self._error is None:
            self._error = error
            self._on_error(error)

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
            if error is not None:
                self._call(self._note, error)
            for mark in marks:
                mark.reach(error)
                if mark.waiting is not None:
                    self._call(_resolve, mark.waiting)

    def _next_items(self) -> list[JournalLine | _Mark]:
        """Wait for items, and return them with all that have come after them."""
        items = self._queue.get()
        try:
            while True:
                items += self._queue.get_nowait()
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

    def _call(self, function: Callable[..., None], argument: object) -> None:
        """Have something called on the event loop; a loop that is closed has nobody who waits."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, argument)


def _resolve(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():  # Its caller was cancelled.
        waiting.set_result(None)
