"""Runs blocking work in a thread, and always waits for its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread; if cancelled, still wait for its end.

    A thread cannot be stopped, so "cancelled" would be wrong while it is still replacing a file.
    """
    return await result_of(asyncio.get_running_loop().run_in_executor(None, work))


async def result_of(running: asyncio.Future[T]) -> T:
    """Return the result of work that runs in a thread; if cancelled, still wait for its end.

    Args:
        running: ends when the work does; others may wait for it as well.
    """
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # Looked at, so that asyncio does not report it as forgotten.
        raise
