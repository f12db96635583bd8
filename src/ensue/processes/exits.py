"""Hearing of the ends of processes on an event loop.

Most commands are over within a millisecond of their start. That long the loop is kept waiting for one, since
everything else costs as much as the command itself; no longer, and not at all while the commands of this
moment take longer. The other processes are watched by one epoll, and this by the loop: to have the loop watch
each, and forget it, would cost a third of what starting a process does.
"""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


HAS_EXITS: Final = hasattr(select, "epoll") and hasattr(os, "pidfd_open")
"""Whether the system has what this needs: Linux has."""

_MOMENT_MS: Final = 2
_COMMANDS_NOT_WAITED_FOR: Final = 16
"""After one that took longer than a moment, so many are not expected to be over at once."""


class Exits:
    """The processes whose ends are awaited on one event loop.

    Args:
        loop: the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._epoll = select.epoll()
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._not_waited_for = 0
        self._is_closing = False
        self.loop = loop
        loop.add_reader(self._epoll.fileno(), self._look)

    def watch(self, pid: int, callback: Callable[[], None], *, may_be_brief: bool) -> int:
        """Have something called when a process ends; perhaps more than once.

        Args:
            pid: a child of this process.
            callback: what is called.
            may_be_brief: whether it may well end at once.

        Returns:
            What `forget` takes; -1 when the process has ended already, and nothing will be called.

        Raises:
            OSError: the kernel gives no pidfd.
        """
        pidfd = os.pidfd_open(pid)
        if may_be_brief and self._ends_in_a_moment(pidfd):
            os.close(pidfd)
            return -1
        try:
            self._epoll.register(pidfd, select.EPOLLIN)
        except OSError:
            os.close(pidfd)
            raise
        self._callbacks[pidfd] = callback
        return pidfd

    def close(self) -> None:
        """Hear of nothing any more once what is watched has ended or is forgotten.

        To be called on the event loop, or when that is closed.
        """
        self._is_closing = True
        if not self._callbacks or self.loop.is_closed():
            self._end()

    def _ends_in_a_moment(self, pidfd: int) -> bool:
        if self._not_waited_for or self._callbacks:
            self._not_waited_for = max(0, self._not_waited_for - 1)
            return False
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        if poll.poll(_MOMENT_MS):
            return True
        self._not_waited_for = _COMMANDS_NOT_WAITED_FOR
        return False

    def forget(self, pidfd: int) -> None:
        """Wait for a process's end no longer.

        Args:
            pidfd: what `watch` returned.
        """
        del self._callbacks[pidfd]
        if not self._epoll.closed:
            self._epoll.unregister(pidfd)
        os.close(pidfd)
        if self._is_closing and not self._callbacks:
            self._end()

    def _end(self) -> None:
        if self._epoll.closed:
            return
        if not self.loop.is_closed():
            self.loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _look(self) -> None:
        for pidfd, _ in self._epoll.poll(0):  # All at once: a callback may be the last before the closing.
            # The callback of one may have let another be forgotten.
            callback = self._callbacks.get(pidfd)
            if callback is not None:
                callback()
