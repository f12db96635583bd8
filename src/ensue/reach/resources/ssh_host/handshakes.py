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

from ensue.core.contracts.time_limit import not_counted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MOST_AT_ONCE: Final = 128
"""The most concurrent logins, not counting slow ones."""

PATIENCE_S: Final = 2.0
"""A login that has taken longer no longer counts."""

_OTHER_FILES: Final = 256
"""More files than a run opens besides connections."""

_KEPT_FILES: Final = 32
"""The files left for the rest of a run if the limit is too low for all connections."""


class Handshakes:
    """The logins in progress on one event loop.

    Args:
        limit: the most at once.
    """

    def __init__(self, limit: int = MOST_AT_ONCE) -> None:
        self._free = limit
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._begun = 0

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncGenerator[None]:
        """Wait for a place and hold it until the end of the block, or until the login no longer counts.

        Raises:
            OSError: `EMFILE`: the rest of the run needs the files that this process can still open.
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
        """Pass a place on to the login that has waited longest."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


def handshakes() -> Handshakes:
    """Return those of the running event loop, whose logins share a processor and open files."""
    return _BY_LOOP.setdefault(asyncio.get_running_loop(), Handshakes())


def allow_open_files(count: int) -> bool:
    """Raise this process's soft limit on open files, if needed and as far as the system allows.

    Args:
        count: the number of files that may be open at once.

    Returns:
        Whether the limit is sufficient.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or count <= soft:
        return True
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard == resource.RLIM_INFINITY or count <= hard


def _has_files_left() -> bool:
    """Return whether enough files can still be opened for the logins in progress and the run."""
    still_open = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are all that it has)
    return still_open + MOST_AT_ONCE + _KEPT_FILES <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]


_BY_LOOP: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Handshakes]] = WeakKeyDictionary()
