"""The real clock."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime


class SystemClock:
    """Wall time, monotonic time and waiting as the operating system and the event loop offer them."""

    def now(self) -> datetime:
        """Return the wall time as local time."""
        return datetime.now()  # noqa: DTZ005 - as on the clock on the wall: it is only ever shown, never reckoned with

    def monotonic(self) -> float:
        """Return seconds on a clock that never jumps."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(seconds)
