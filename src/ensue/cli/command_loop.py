"""The event loop of a command: asyncio's, whose closing a second signal need not wait for threads.

Closing an event loop waits for the threads of its executor. A function of a user may never return from one.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from ensue.cli.interrupts import Interrupts


class CommandLoop(asyncio.SelectorEventLoop):
    """An event loop that waits for its threads until a second signal comes.

    Args:
        interrupts: the signals of the process.
    """

    def __init__(self, interrupts: Interrupts) -> None:
        super().__init__()
        self._interrupts = interrupts
        self._threads: ThreadPoolExecutor | None = None

    def set_default_executor(  # type: ignore[override] # as BaseEventLoop, which takes no other
        self, executor: ThreadPoolExecutor
    ) -> None:
        """Set the executor, and keep it for the closing."""
        self._threads = executor
        super().set_default_executor(executor)

    async def shutdown_default_executor(self, *timeout_s: float | None) -> None:
        """Wait for the end of the threads, or for the signal that says not to."""
        threads = self._threads
        if threads is None:
            await super().shutdown_default_executor(*timeout_s)
            return
        ended: asyncio.Future[None] = self.create_future()

        def end() -> None:
            if not ended.done():
                ended.set_result(None)

        def wait() -> None:
            threads.shutdown()
            with suppress(RuntimeError):  # The loop did not wait.
                self.call_soon_threadsafe(end)

        # asyncio's own way waits in a thread that keeps the process from ending.
        threading.Thread(target=wait, name="ensue-end", daemon=True).start()
        self._interrupts.when_insisted(end)
        await ended
