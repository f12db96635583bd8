"""Limit how many targets of a call run at once, and how long each may take.

Source: Salt's `--batch-size`.
"""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Self

from ensue.contracts.time_limit import limited_by
from ensue.diagnostics import Diagnostic
from ensue.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_UNBOUNDED: Final = 1000
_WHOLE: Final = 100


class Batch:
    """A sliding window: a fixed number of targets is called at once, and the next one when one has answered.

    Further targets may be found while the first are called: a percentage is of those known so far.

    Args:
        number: how many.
        is_percentage: whether `number` is a percentage of the targets.
    """

    def __init__(self, number: int, *, is_percentage: bool) -> None:
        self._number = number
        self._is_percentage = is_percentage
        self._expected = 0
        self._places = 0
        self._free = asyncio.Semaphore(0)

    @classmethod
    def parse(cls, text: str | None) -> Self:
        """Read `10` or `25%`; None means no limit.

        Raises:
            ConfigurationError: it is neither.
        """
        if text is None:
            return cls(_UNBOUNDED, is_percentage=False)
        number = text.strip().removesuffix("%")
        if re.fullmatch(r"0*[1-9][0-9]{0,8}", number):
            return cls(int(number), is_percentage=text.strip().endswith("%"))
        raise ConfigurationError(
            [
                Diagnostic(
                    code="E0104",
                    summary=f"the batch is {text!r}, neither a number nor a percentage",
                    help="write how many targets to call at once (10), or a percentage of them (25%)",
                )
            ]
        )

    def expect(self, count: int) -> None:
        """Add to the number of known targets.

        Args:
            count: how many more there are.
        """
        self._expected += count
        limit = self._expected
        if self._is_percentage:
            limit = math.ceil(self._expected * self._number / _WHOLE)
        for _ in range(min(limit, self._expected, self._number_at_most()) - self._places):
            self._places += 1
            self._free.release()

    def _number_at_most(self) -> int:
        return _UNBOUNDED if self._is_percentage else self._number

    def place(self) -> asyncio.Semaphore:
        """Return the context manager that a target enters while it is called."""
        return self._free


class TimeAllowance:
    """The total time that one target may take; a `TimeLimit`.

    Time in a queue is not counted, neither that of the batch nor that of logins to many hosts.

    Args:
        limit_s: seconds; None: no limit.
    """

    def __init__(self, limit_s: float | None) -> None:
        self._left_s = limit_s
        self._running: asyncio.Timeout | None = None
        self._pauses = 0
        self.is_over = False

    @asynccontextmanager
    async def spent(self) -> AsyncGenerator[None]:
        """Count the time within.

        Raises:
            TimeoutError: the time is over; `is_over` says so.
        """
        if self._left_s is None:
            yield
            return
        limit = asyncio.timeout(max(0.0, self._left_s))
        try:
            async with limit:
                self._running = limit
                with limited_by(self):
                    yield
        finally:
            self._note_left()
            self._running = None
            self.is_over = limit.expired()

    def pause(self) -> None:
        """Pause the clock until `resume`."""
        self._pauses += 1
        if self._pauses == 1 and self._running is not None and not self._running.expired():
            self._note_left()
            self._running.reschedule(None)

    def resume(self) -> None:
        """Restart the clock after `pause`."""
        self._pauses -= 1
        # The waiting call may have been cancelled or ended in the meantime.
        if self._pauses == 0 and self._running is not None and self._left_s is not None:
            self._running.reschedule(asyncio.get_running_loop().time() + self._left_s)

    def _note_left(self) -> None:
        until_s = self._running.when() if self._running else None
        if until_s is not None:
            self._left_s = until_s - asyncio.get_running_loop().time()
