"""A lock between processes: taken at once, or when its holder has released it.

`file_lock` and `advisory_lock` are the kinds. Both are released by the kernel or the server the moment that
their holder ends, however it ends. Nothing here uses the event loop for the lock itself: a thread does.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from ensue.core.errors import LockHeldError
from ensue.reach.processes.threads import in_daemon_thread
from ensue.store.registry.lock_holder import LockHolder, this_process

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger(__name__)
_THREAD: Final = "ensue-lock"


def _local_time() -> datetime:
    return datetime.now().astimezone()


class Lock(ABC):
    """A lock; a context manager that releases it.

    Args:
        activity: what its holder does, as messages say it (`this project is being applied`).
    """

    def __init__(self, activity: str) -> None:
        self.activity = activity
        self._last_holder = LockHolder()

    def acquire(self, *, command: str, now: datetime) -> Self:
        """Take the lock, or raise an error that names its holder; this blocks for a moment.

        Args:
            command: the command that takes it, without arguments that may hold secrets.
            now: the moment, with its offset.

        Raises:
            LockHeldError: another process, or another task of this one, holds it.
            StoreError: the lock cannot be used.
        """
        self._take(command, lambda: now)
        return self

    async def take(
        self, *, command: str, wait_s: float | None = 0.0, clock: Callable[[], datetime] = _local_time
    ) -> Self:
        """Take the lock. Cancelling the task stops a wait, and the lock is not kept then.

        Args:
            command: the command that takes it, without arguments that may hold secrets.
            wait_s: how long to wait for it to be free; None: without limit.
            clock: returns the moment, with its offset.

        Raises:
            LockHeldError: it was not free all the time.
            StoreError: the lock cannot be used.
        """
        try:
            await self._in_thread(partial(self._take, command, clock))
        except LockHeldError:
            if wait_s == 0:
                raise
        else:
            return self
        _logger.warning("waiting: %s by %s", self.activity, self._last_holder)
        try:
            async with asyncio.timeout(wait_s):
                await self._in_thread(partial(self._take, command, clock, waits=True))
        except TimeoutError:
            raise self._refused() from None
        return self

    @abstractmethod
    def confirm(self) -> None:
        """Make sure that the lock is still held, where it may be lost while its holder runs; this blocks.

        Raises:
            StoreError: it is lost.
        """

    @abstractmethod
    def release(self) -> None:
        """Release the lock; releasing it again does nothing. This blocks for a moment."""

    def __enter__(self) -> Self:
        """Enter."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release."""
        self.release()

    async def _in_thread(self, take: Callable[[], None]) -> None:
        taking = in_daemon_thread(take, _THREAD)
        try:
            await asyncio.wrap_future(taking)
        except asyncio.CancelledError:
            # Nothing can wake the thread: once it has the lock, the lock is released.
            taking.add_done_callback(lambda _: in_daemon_thread(self.release, _THREAD))
            raise

    def _take(self, command: str, clock: Callable[[], datetime], *, waits: bool = False) -> None:
        try:
            if not self._try():
                self._last_holder = self._holder()
                self._wait_unless_refused(waits=waits)
            self._note(this_process(command, clock()))
        except BaseException:
            self.release()
            raise

    def _wait_unless_refused(self, *, waits: bool) -> None:
        if not waits:
            raise self._refused()
        self._wait()

    def _refused(self) -> LockHeldError:
        holder = self._last_holder
        message = f"{self.activity} by {holder} (wait until it has ended, for example with --wait)"
        return LockHeldError(message, holder_pid=holder.pid)

    @abstractmethod
    def _try(self) -> bool:
        """Return whether the lock was free; it is held then."""

    @abstractmethod
    def _wait(self) -> None:
        """Return when the lock is held; only called after `_try`, in a thread."""

    @abstractmethod
    def _holder(self) -> LockHolder:
        """Return who holds the lock; only called after `_try`."""

    @abstractmethod
    def _note(self, holder: LockHolder) -> None:
        """Write down who holds the lock."""
