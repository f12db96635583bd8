"""Limits the number of concurrent logins: a thousand at once would all be slow, and some would time out.

A login that takes long no longer counts, because it waits for a host that may hang.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from ensue.contracts.time_limit import not_counted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MOST_AT_ONCE: Final = 128
"""So many logins that go on as they should are under way together."""

PATIENCE_S: Final = 2.0
"""A login that has taken longer does not count any more."""

_OTHER_FILES: Final = 256
"""What a run opens besides connections, and more."""

_KEPT_FILES: Final = 32
"""So many are left for the rest of a run where the limit is too low for all connections."""


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
        """Wait for a place and keep it until the end of the block, or until the patience is over.

        Raises:
            OSError: `EMFILE`: the rest of the run needs the files that this process may still open.
        """
        await self._place()
        self._begun += 1
        if not allow_open_files(self._begun + _OTHER_FILES) and not _has_files_left():
            self._give_back()
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
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
            with not_counted():
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


def allow_open_files(count: int) -> bool:
    """Raise this process's own limit on open files as far as the system lets it, once so many are needed.

    Args:
        count: how many may be open at once.

    Returns:
        Whether so many can be.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or count <= soft:
        return True
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard == resource.RLIM_INFINITY or count <= hard


def _has_files_left() -> bool:
    """Say whether so many files can be opened yet that logins under way and the run have enough."""
    still_open = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are all that it has)
    return still_open + MOST_AT_ONCE + _KEPT_FILES <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]


_BY_LOOP: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Handshakes]] = WeakKeyDictionary()
