"""The thread that uses a store for the event loop, which must not wait for a lock or a disk itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from ensue.reach.processes.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

Result = TypeVar("Result")


class StoreThread:
    """One thread, started when it is first needed; it does its work in the order of submission."""

    def __init__(self) -> None:
        self._executor: Threads | None = None

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Have work done, and return its future.

        Args:
            work: it blocks; its waits can be ended (`LockWaits.end`).

        Raises:
            ThreadRefusedError: the machine refuses the thread.
        """
        if self._executor is None:
            self._executor = Threads(1, "ensue-store")
        return self._executor.submit(work)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Have work done, and return its result.

        Args:
            work: it blocks. If the caller is cancelled, work that has begun goes on to its end.

        Raises:
            Exception: any that the work raises.
        """
        return await asyncio.wrap_future(self.submit(work))

    def close(self) -> None:
        """Let the thread end when its work is done; later work starts another."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False)
