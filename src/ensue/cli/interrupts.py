"""Signals while something runs: the first lets it end in order, the second ends it, the third kills it.

SIGTERM and SIGHUP are treated as SIGINT: whoever sends one wants the same thing. A signal handler
does as little as possible: the loop cancels the task. The third signal is for a run whose event
loop no longer turns, because a function blocks it; the store and the journal bear that, as they
bear kill -9.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, Final, Self

from ensue.cli.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import FrameType

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


_LAST: Final = 3
"""The signal that is not asked to wait."""

_BETWEEN_S: Final = 0.05
"""Between two cancellations: two in one turn of the loop would reach the task as one."""


_MANY_SIGNALS: Final = 4096


class InterruptedRunError(Exception):
    """A command was interrupted and has no results to show."""


class Interrupts:
    """While entered, signals cancel one task.

    It is entered around the event loop, not within it: closing the loop waits for threads, and a
    signal must count then, too.

    Args:
        tell: prints a notice for the user.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._task: asyncio.Task[Any] | None = None
        self._count = 0
        self._next_at = 0.0
        self._former: dict[signal.Signals, Any] = {}
        self._pipe: tuple[int, int] | None = None
        self._former_wakeup = -1

    def __enter__(self) -> Self:
        """Take over the signals; one that was ignored from outside (nohup) stays ignored."""
        for number in SIGNALS:
            former = signal.getsignal(number)
            if former is not signal.SIG_IGN:
                self._former[number] = former
                signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, former in self._former.items():
            signal.signal(number, former)
        if self._task is not None and self._pipe is not None:
            signal.set_wakeup_fd(self._former_wakeup)
            if not self._task.get_loop().is_closed():
                self._task.get_loop().remove_reader(self._pipe[0])
            for end in self._pipe:
                os.close(end)

    def watch(self, task: asyncio.Task[Any]) -> None:
        """Say which task signals cancel from now on; called once, on its event loop."""
        self._task = task
        # A signal that comes just before the loop sleeps would be heard when it wakes for something else.
        self._pipe = reading, writing = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        self._former_wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        task.get_loop().add_reader(reading, os.read, reading, _MANY_SIGNALS)

    def _handle(self, number: int, _: FrameType | None) -> None:
        self._count += 1
        if self._count == _LAST:
            # No exception: it would wait for the very thread or task that does not end.
            os.write(2, b"ended where it stood\n")
            os._exit(INTERRUPTED)
        if self._task is None:
            raise KeyboardInterrupt
        if not self._task.done():
            # A handler may stand between any two instructions: everything else happens on the loop.
            loop = self._task.get_loop()
            loop.call_soon_threadsafe(self._cancel, self._task, signal.Signals(number).name, self._count)

    def _cancel(self, task: asyncio.Task[Any], name: str, count: int) -> None:
        if task.done():
            return
        loop = task.get_loop()
        now = loop.time()
        if now < self._next_at:
            loop.call_at(self._next_at, task.cancel)
        else:
            # Before it is said: what is running may end at that moment, and nothing may come after it.
            task.cancel()
        self._next_at = now + _BETWEEN_S
        if count == 1:
            self._tell(f"{name}: nothing new is started; waiting for what is running (again: end it now)")
        else:
            self._tell(f"{name}: ending what is running")
