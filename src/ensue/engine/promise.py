"""A value that is set once and read by anyone who waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from ensue.core.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Promise(Generic[T]):
    """A once-only value. A future is created only if something waits for it."""

    __slots__ = ("_callbacks", "_value", "done")

    def __init__(self) -> None:
        self.done = False
        self._value: T | None = None
        self._callbacks: list[Callable[[], None]] | None = None

    @property
    def value(self) -> T:
        """The value.

        Raises:
            InternalError: it has not been set yet.
        """
        if not self.done:
            raise InternalError("a promise was read before it was kept")
        return cast("T", self._value)

    def resolve(self, value: T) -> None:
        """Set the value, then run callbacks; waiting tasks continue in the event loop's next turn.

        Raises:
            InternalError: it was set before.
        """
        if self.done:
            raise InternalError("a promise was kept twice")
        self._value = value
        self.done = True
        for callback in self._callbacks or ():
            callback()
        self._callbacks = None

    def on_resolve(self, callback: Callable[[], None]) -> None:
        """Call a function when the value is set, before `resolve` returns; at once if it is set."""
        if self.done:
            callback()
        elif self._callbacks is None:
            self._callbacks = [callback]
        else:
            self._callbacks.append(callback)

    async def wait(self) -> T:
        """Return the value once it is set."""
        if not self.done:
            # One future per waiting task: cancelling one does not affect the others.
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.on_resolve(lambda: None if future.done() else future.set_result(None))
            await future
        return self.value
