"""What is running now and since when, according to events; both forms of progress use it.

A timer is set for the moment at which the oldest running state has run long enough for a line, instead of
polling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.events import NodeStarted

LONG_S: Final = 5.0
"""After how many seconds a running state gets a line."""


class Timer(Protocol):
    """A call that is scheduled for later."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class EventLoop(Protocol):
    """The part of asyncio's event loop that progress needs."""

    def time(self) -> float:
        """Return the monotonic time, in seconds."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Call `callback` after `delay` seconds."""
        ...


class RunningStates:
    """The states that have started and not ended, oldest first.

    Args:
        loop: has the clock and the timers.
        on_long: called once for each state that has run for `LONG_S`.
    """

    def __init__(self, loop: EventLoop, on_long: Callable[[NodeStarted], None]) -> None:
        self._loop = loop
        self._on_long = on_long
        self._now = loop.time
        self._since: dict[int, tuple[NodeStarted, float]] = {}
        self._long: dict[int, float] = {}
        self._timer: Timer | None = None

    def start(self, event: NodeStarted) -> None:
        """Record that a state starts."""
        self._since[event.run_num] = (event, self._now())
        if self._timer is None:
            self._timer = self._loop.call_later(LONG_S, self._look)

    def end(self, run_num: int) -> float | None:
        """Record that a state ended; return how many seconds it took if `on_long` was called for it."""
        self._since.pop(run_num, None)
        if self._long:
            since = self._long.pop(run_num, None)
            return None if since is None else self._now() - since
        return None

    def items(self) -> list[tuple[NodeStarted, float]]:
        """Return what is running and for how many seconds, oldest first."""
        now = self._now()
        return [(event, now - since) for event, since in self._since.values()]

    def close(self) -> None:
        """Set no more timers."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Report states that have run for long, and set the timer for the next one."""
        self._timer = None
        now = self._now()
        for run_num, (event, since) in self._since.items():
            if run_num in self._long:
                continue
            remaining = since + LONG_S - now
            # A timer may fire early by the resolution of the loop's clock.
            if remaining > 0.001:  # noqa: PLR2004 -- said above
                self._timer = self._loop.call_later(remaining, self._look)
                return
            self._long[run_num] = since
            self._on_long(event)
