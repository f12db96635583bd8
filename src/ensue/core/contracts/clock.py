"""Time, as a contract: it is injected into functions and the engine, so that tests can replace it."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """A clock that tests can replace."""

    def time_of_day(self) -> str:
        """Return the local time as `HH:MM:SS.ffffff`, for display only."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never jumps."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""
        ...
