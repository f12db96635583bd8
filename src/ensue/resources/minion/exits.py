"""Hearing of the ends of processes on an event loop: one epoll for all pidfds, which the loop watches once.

To have the loop itself watch each pidfd, and forget it, would cost a third of what starting a process does.
"""

from __future__ import annotations

import os
import select
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableMapping


class Exits:
    """The processes whose ends are awaited on one event loop.

    Args:
        loop: the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._epoll = select.epoll()
        self._callbacks: dict[int, Callable[[], None]] = {}
        loop.add_reader(self._epoll.fileno(), self._look)

    def watch(self, pid: int, callback: Callable[[], None]) -> int:
        """Have something called when a process ends; perhaps more than once.

        Args:
            pid: a child of this process.
            callback: what is called.

        Returns:
            What `forget` takes.

        Raises:
            OSError: the kernel gives no pidfd.
        """
        pidfd = os.pidfd_open(pid)
        self._epoll.register(pidfd, select.EPOLLIN)
        self._callbacks[pidfd] = callback
        return pidfd

    def forget(self, pidfd: int) -> None:
        """Wait for a process's end no longer.

        Args:
            pidfd: what `watch` returned.
        """
        del self._callbacks[pidfd]
        self._epoll.unregister(pidfd)
        os.close(pidfd)

    def _look(self) -> None:
        for pidfd, _ in self._epoll.poll(0):
            # The callback of one may have let another be forgotten.
            callback = self._callbacks.get(pidfd)
            if callback is not None:
                callback()


_known: MutableMapping[asyncio.AbstractEventLoop, Exits] = weakref.WeakKeyDictionary()


def exits_of(loop: asyncio.AbstractEventLoop) -> Exits:
    """Return the one object of an event loop; it is gone with the loop."""
    found = _known.get(loop)
    if found is None:
        found = _known[loop] = Exits(loop)
    return found
