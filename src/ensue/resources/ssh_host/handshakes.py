"""How many hosts are logged in to at once: of a thousand at the same moment all would be slow, some too late.

A login that takes long does not count any more: it waits for its host, which may hang, and others may begin.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MOST_AT_ONCE: Final = 128
"""So many logins that go on as they should are under way together."""

PATIENCE_S: Final = 2.0
"""A login that has taken longer does not count any more."""

_OTHER_FILES: Final = 256
"""What a run opens besides connections."""


class Handshakes:
    """The logins that are under way on one event loop.

    Args:
        limit: how many at once.
    """

    def __init__(self, limit: int = MOST_AT_ONCE) -> None:
        self._free = limit
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._begun = 0

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncGenerator[None]:
        """Wait for a place and keep it until the end of the block, or until the patience is over."""
        await self._place()
        self._begun += 1
        allow_open_files(self._begun + _OTHER_FILES)
        is_held = True

        def give_back() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                self._give_back()

        late = asyncio.get_running_loop().call_later(PATIENCE_S, give_back)
        try:
            yield
        finally:
            late.cancel()
            give_back()

    async def _place(self) -> None:
        if self._free:
            self._free -= 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._give_back()
            raise

    def _give_back(self) -> None:
        """Pass a place on to who has waited longest."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


def handshakes() -> Handshakes:
    """Return those of the running event loop: its processor and its files are what they share."""
    return _BY_LOOP.setdefault(asyncio.get_running_loop(), Handshakes())


def allow_open_files(count: int) -> None:
    """Raise this process's own limit on open files as far as the system lets it, once so many are needed.

    Args:
        count: how many may be open at once.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and count > soft and soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


_BY_LOOP: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Handshakes]] = WeakKeyDictionary()
