"""The event loop of a command: asyncio's, except that a second signal closes it without waiting for threads.

Closing an event loop waits for the threads of its executor. A user's function may never return.

The kernel reports the end of each process to the loop through a descriptor. From Python 3.12 on asyncio
arranges that by itself. Before, it starts a thread per process, which costs a sixth of a run (bench case
`cmd-200`).
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from ensue.core.errors import ThreadRefusedError
from ensue.reach.processes.threads import start_thread

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
        if sys.version_info < (3, 12) and _has_process_descriptors():
            watcher = asyncio.PidfdChildWatcher()
            watcher.attach_loop(self)
            asyncio.set_child_watcher(watcher)  # pyright: ignore[reportDeprecated] # from 3.12 on

    def close(self) -> None:
        """Close the loop, and let asyncio choose how later loops watch subprocesses."""
        if sys.version_info < (3, 12):
            # After None, asyncio makes its own watcher when it needs the next one.
            asyncio.set_child_watcher(None)  # type: ignore[arg-type] # pyright: ignore[reportDeprecated, reportArgumentType]
        super().close()

    def set_default_executor(  # type: ignore[override] # as BaseEventLoop, which takes no other
        self, executor: ThreadPoolExecutor
    ) -> None:
        """Set the executor, and remember it for closing the loop."""
        self._threads = executor
        super().set_default_executor(executor)

    async def shutdown_default_executor(self, *timeout_s: float | None) -> None:
        """Wait until the threads end, or until a second signal comes."""
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

        # asyncio's own method waits in a thread, which would keep the process from ending.
        try:
            start_thread(threading.Thread(target=wait, name="ensue-end", daemon=True))
        except ThreadRefusedError:
            threads.shutdown(wait=False)
            return
        self._interrupts.at_second_signal(end)
        await ended


def _has_process_descriptors() -> bool:
    """Return whether the kernel offers process descriptors: from 5.3 on, unless a policy forbids them."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True
