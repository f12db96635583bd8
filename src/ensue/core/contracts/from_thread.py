"""What code in a thread asks of the event loop: templates, and plug-ins that are no coroutines."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeVar

from ensue.core.errors import NotAvailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

_T = TypeVar("_T")
_BEFORE_WAIT: Final[ContextVar[Callable[[], None] | None]] = ContextVar("before_wait", default=None)


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
    if (before_wait := _BEFORE_WAIT.get()) is not None:
        before_wait()
    return asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop).result()


@contextmanager
def noticing_waits(before_wait: Callable[[], None]) -> Generator[None]:
    """Have a function called whenever this thread is about to wait for the event loop.

    Args:
        before_wait: the function; it is called in this thread.
    """
    token = _BEFORE_WAIT.set(before_wait)
    try:
        yield
    finally:
        _BEFORE_WAIT.reset(token)


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
