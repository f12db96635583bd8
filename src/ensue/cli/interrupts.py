"""Signals while a command runs: the first lets it end in order, the second ends it whatever it is doing.

After the second signal the command has `GRACE_S` to end what is running, close its connections and print what
it has. Then the process ends without waiting for the event loop, a thread or a file system, which may never
answer. A third signal does that at once. The store and the journal survive it, as they survive kill -9.

Python calls the handler of a signal in the main thread, and only between two instructions. While that thread
is inside a call of a library (SQLite waits for a lock), no handler runs. So a thread of its own reads what
the interpreter writes to a pipe for each signal, and counts them, whatever the main thread is doing.

SIGTERM and SIGHUP are treated as SIGINT, with one difference: SIGHUP counts once. A closed terminal sends
several of them (the kernel one, the shell another), and they report one event.
"""

from __future__ import annotations

import _thread
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

from ensue.cli.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import FrameType

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

GRACE_S: Final = 4.0
"""How long a command may take to end after the second signal; a running command has half of it (SIGTERM)."""

_INSISTS: Final = 2
"""From this signal on the command does not wait for what is running."""

_LAST: Final = 3
"""The signal that ends the process at once."""

_BETWEEN_S: Final = 0.05
"""The pause between two cancellations: two in one turn of the loop would reach the task as one."""


_MANY_SIGNALS: Final = 4096


class InterruptedRunError(Exception):
    """A command was interrupted and has no results to show."""


class Interrupts:
    """While entered, signals end the command: by cancelling the task it watches, or by `KeyboardInterrupt`.

    It is entered around the event loop, not within it: closing the loop waits for threads, and a
    signal must count then, too.

    Args:
        tell: prints a notice for the user; may be set later.
        owns_process: whether the process exists for the command, and ends with it.
    """

    def __init__(self, tell: Callable[[str], None] | None = None, *, owns_process: bool = False) -> None:
        self.tell = tell or _nothing
        self.owns_process = owns_process
        self.end_waits: Callable[[], None] = _no_waits
        """Ends what waits for another process; called in a thread of its own at the second signal."""
        self._task: asyncio.Task[Any] | None = None
        self._count = 0
        # One thread writes each: the main thread counts calls of the handler, the other one bytes.
        self._calls: dict[int, int] = dict.fromkeys(SIGNALS, 0)
        self._written: dict[int, int] = dict.fromkeys(SIGNALS, 0)
        self._name = ""
        self._received_at_leave: int | None = None
        self._next_at = 0.0
        self._former: dict[signal.Signals, Any] = {}
        self._wakeup = -1
        self._former_wakeup = -1
        self._at_second_signal: Callable[[], None] | None = None
        self._grace_begun = _thread.allocate_lock()
        self._ended = _thread.allocate_lock()
        self._ended.acquire()

    def __enter__(self) -> Self:
        """Take over the signals."""
        self.take_over()
        return self

    def take_over(self) -> None:
        """Take over the signals; one that the parent process ignores (nohup) stays ignored."""
        for number in SIGNALS:
            former = signal.getsignal(number)
            if former is signal.SIG_IGN:
                continue
            try:
                signal.signal(number, self._handle)
            except ValueError:  # Only the main thread may set handlers, and only it is interrupted.
                return
            self._former[number] = former
        if self._former:
            self._listen_in_thread()

    def __exit__(self, *_: object) -> None:
        """Restore the former handlers of the signals."""
        for number, former in self._former.items():
            signal.signal(number, former)
        self.unwatch()
        wakeup, self._wakeup = self._wakeup, -1
        if wakeup >= 0:
            signal.set_wakeup_fd(self._former_wakeup)
            os.close(wakeup)
        with suppress(RuntimeError):  # Released before.
            self._ended.release()

    @property
    def insists(self) -> bool:
        """Whether a second signal has come, after which nothing is waited for."""
        return self._received() >= _INSISTS

    def watch(self, task: asyncio.Task[Any]) -> None:
        """Set the task that signals cancel from now on; called once, on its event loop.

        The exception of an earlier signal may have been lost: Python drops what is raised in a callback of
        its own, such as while a module is imported. So what has come before counts as well.
        """
        self._task = task
        if count := self._received():
            self._count = count
            task.get_loop().call_soon(self._heed, task, self._name, count)

    def unwatch(self) -> None:
        """Let signals raise `KeyboardInterrupt` again; to be called when the loop is closed."""
        self._task = None
        self._at_second_signal = None

    def at_second_signal(self, callback: Callable[[], None]) -> None:
        """Call `callback` on the watched task's loop at the second signal, at once if that has come.

        Args:
            callback: what is called.
        """
        self._at_second_signal = callback
        if self.insists:
            callback()

    def hang_up(self) -> None:
        """Treat the loss of the terminal as SIGHUP, unless this process ignores SIGHUP."""
        if signal.SIGHUP in self._former:
            signal.raise_signal(signal.SIGHUP)

    def leave(self) -> None:
        """Note that everything is written: while threads are waited for, a later signal ends the process.

        It does so from the second one on. A signal that made the command end has no say in what comes after.
        """
        self._received_at_leave = self._received()

    def _handle(self, number: int, _: FrameType | None) -> None:
        self._calls[number] += 1
        self._name = signal.Signals(number).name
        self._look()

    def _listen_in_thread(self) -> None:
        reading, self._wakeup = os.pipe()
        os.set_blocking(self._wakeup, False)
        self._former_wakeup = signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)
        # Not `threading`, which would wait for it at the end. If no thread may be started, only the handler
        # counts.
        with suppress(RuntimeError):
            _thread.start_new_thread(self._listen, (reading,))

    def _listen(self, reading: int) -> None:
        """Count the signals that the interpreter reports, until the pipe is closed."""
        while numbers := os.read(reading, _MANY_SIGNALS):
            for number in numbers:
                if number in self._written:
                    self._written[number] += 1
                    self._name = signal.Signals(number).name
            self._insist(self._received())
            if (task := self._task) is not None:
                # A signal that came just before the loop went to sleep must not wait until it wakes.
                with suppress(RuntimeError):
                    task.get_loop().call_soon_threadsafe(self._look)
        os.close(reading)

    def _received(self) -> int:
        """Return how many signals have come, counted by the thread that has seen more of them.

        Several signals of one number may become one call of the handler, and the pipe may be full.
        """
        counts = [max(self._calls[number], self._written[number]) for number in SIGNALS]
        counts[SIGNALS.index(signal.SIGHUP)] = min(counts[SIGNALS.index(signal.SIGHUP)], 1)
        return sum(counts)

    def _look(self) -> None:
        """Act on new signals; called in the main thread."""
        count = self._received()
        while self._count < count:
            self._count += 1
            self._act(self._count)

    def _insist(self, count: int) -> None:
        """Make sure that the process ends, if so many signals demand it; called in any thread."""
        if self._received_at_leave is not None and count > max(self._received_at_leave, 1):
            os._exit(INTERRUPTED)
        if count >= _LAST:
            _end_here()
        # Not `threading`: the main thread may hold its lock at this moment.
        if count == _INSISTS and self._grace_begun.acquire(blocking=False):
            _thread.start_new_thread(self._end_late, ())

    def _act(self, count: int) -> None:
        self._insist(count)
        if self._received_at_leave is not None:
            return
        if self._task is None:
            raise KeyboardInterrupt
        # A handler may run between any two instructions, so everything else happens on the loop.
        loop = self._task.get_loop()
        with suppress(RuntimeError):  # The loop is closed: the command continues to its end.
            loop.call_soon_threadsafe(self._heed, self._task, self._name, count)

    def _heed(self, task: asyncio.Task[Any], name: str, count: int) -> None:
        if count >= _INSISTS and self._at_second_signal is not None:
            self._at_second_signal()
        if not task.done():
            self._cancel(task, name, count)

    def _cancel(self, task: asyncio.Task[Any], name: str, count: int) -> None:
        loop = task.get_loop()
        now = loop.time()
        if now < self._next_at:
            loop.call_at(self._next_at, task.cancel)
        else:
            # Before the notice: what is running may end meanwhile, and nothing may be started after it.
            task.cancel()
        self._next_at = now + _BETWEEN_S
        if count == 1:
            self.tell(f"{name}: nothing new is started; waiting for what is running (again: end that now)")
        else:
            self.tell(f"{name}: ending what is running")

    def _end_late(self) -> None:
        self.end_waits()
        if not self._ended.acquire(timeout=GRACE_S):
            _end_here()
        self._ended.release()


def _nothing(_: str) -> None:
    pass


def _no_waits() -> None:
    pass


def _end_here() -> None:
    """End the process without an exception, which would wait for a thread or task that does not end."""
    with suppress(OSError):
        os.write(2, b"stopped at once\n")
    os._exit(INTERRUPTED)
