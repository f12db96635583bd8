"""A value that is set once and read by anyone who waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from ensue.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Promise(Generic[T]):
    """A once-only value. Small, because every node has one; a future is made only when somebody waits."""

    __slots__ = ("_callbacks", "_future", "_value", "done")

    def __init__(self) -> None:
        self.done = False
        self._value: T | None = None
        self._future: asyncio.Future[None] | None = None
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
        """Set the value, then run callbacks, then wake who waits.

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
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    def on_resolve(self, callback: Callable[[], None]) -> None:
        """Have something called, before `resolve` returns, when the value is set; at once if it is."""
        if self.done:
            callback()
        elif self._callbacks is None:
            self._callbacks = [callback]
        else:
            self._callbacks.append(callback)

    async def wait(self) -> T:
        """Return the value when it is there."""
        if not self.done:
            if self._future is None:
                self._future = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._future)
        return self.value
