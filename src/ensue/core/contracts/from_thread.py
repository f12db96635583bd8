"""What code in a thread asks of the event loop: templates, and plug-ins that are no coroutines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from ensue.core.errors import NotAvailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable

_T = TypeVar("_T")


def from_thread(awaitable: Awaitable[_T], loop: asyncio.AbstractEventLoop) -> _T:
    """Have something done on the event loop, and wait for its result.

    Args:
        awaitable: what is done there.
        loop: the event loop of the run.

    Raises:
        NotAvailableError: the caller itself runs on the event loop, which would wait for itself for ever.
        Exception: any that it raises.
    """
    try:
        refuse_on_loop(loop)
    except NotAvailableError:
        if asyncio.iscoroutine(awaitable):
            awaitable.close()
        raise
    return asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop).result()


def refuse_on_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Refuse what has to wait for the event loop, if it is called on that.

    Raises:
        NotAvailableError: the caller runs on it.
    """
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return
    if running is loop:
        raise NotAvailableError(
            "a coroutine cannot call this, which waits for the event loop that the coroutine runs on"
            " (write `await asyncio.to_thread(FUNCTION, ARGUMENTS)`, or make it a function without `async`)"
        )


async def _awaited(awaitable: Awaitable[_T]) -> _T:
    return await awaitable
