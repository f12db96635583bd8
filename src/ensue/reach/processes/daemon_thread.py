"""Runs code of a plug-in that may block in a daemon thread, which does not delay the end of the process.

A thread cannot be stopped. The threads of an executor are joined when the process ends, so a hook that hangs
would keep the process from ending; a daemon thread does not.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ensue.reach.processes.threads import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable


async def in_daemon_thread(work: Callable[[], Any]) -> Any:
    """Run a function in its own daemon thread and return its result.

    Args:
        work: the function. If this coroutine is cancelled, it continues, and its result is discarded.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def answered(value: Any, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def run() -> None:
        value: Any = None
        error: BaseException | None = None
        try:
            value = context.run(work)
        except StopIteration:
            error = RuntimeError("it raised StopIteration")  # A future takes no StopIteration.
        except BaseException as raised:  # noqa: BLE001 -- raised anew where it is awaited
            error = raised
        with suppress(RuntimeError):  # The loop is closed, so nobody waits.
            loop.call_soon_threadsafe(answered, value, error)

    start_thread(threading.Thread(target=run, name="ensue-plug-in", daemon=True))
    return await answer
