"""Blocking work in a thread, whose end is waited for in any case."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread; when cancelled wait for its end all the same.

    A thread cannot be stopped: a caller that was told "cancelled" while a file is still being
    replaced would be told a lie.
    """
    running = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # Looked at, so that asyncio does not report it as forgotten.
        raise
