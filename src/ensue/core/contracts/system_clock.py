"""The real clock."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """Wall time, monotonic time and waiting as the operating system and the event loop offer them."""

    monotonic = staticmethod(time.perf_counter)
    """Return seconds on a clock that never jumps."""

    def __init__(self) -> None:
        self._second = -1
        self._shown = ""

    def time_of_day(self) -> str:
        """Return the local time as `HH:MM:SS.ffffff`; all but the last part is formatted once a second."""
        now_us = time.time_ns() // 1000
        second = now_us // 1_000_000
        if second != self._second:
            self._second, self._shown = second, time.strftime("%H:%M:%S", time.localtime(second))
        # Texts are joined because padding a number with zeros is slow.
        return f"{self._shown}.{str(now_us)[-6:]}"

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(seconds)
