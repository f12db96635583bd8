"""Limit how many targets of a call run at once, and how long each may take.

Source: Salt's `--batch-size`.
"""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Self

import msgspec

from ensue.core.contracts.time_limit import limited_by
from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_UNBOUNDED: Final = 1000
_WHOLE: Final = 100


class Portion(msgspec.Struct, frozen=True):
    """A part of all targets: a number of them or a percentage.

    Args:
        number: the number or percentage.
        is_percentage: whether `number` is a percentage.
    """

    number: int
    is_percentage: bool

    @classmethod
    def parse(cls, text: str, what: str, *, least: int = 1) -> Self:
        """Parse `10` or `25%`.

        Args:
            text: the text.
            what: what it limits, for the message.
            least: the smallest number.

        Raises:
            ConfigurationError: it is neither.
        """
        number = text.strip().removesuffix("%")
        if re.fullmatch(r"0*[0-9]{1,9}", number) and int(number) >= least:
            return cls(int(number), text.strip().endswith("%"))
        raise ConfigurationError(
            [
                Diagnostic(
                    code="E0104",
                    summary=f"the {what} is {text!r}, neither a number nor a percentage",
                    help="write a number of targets (10), or a percentage of them (25%)",
                )
            ]
        )

    def of(self, whole: int) -> int:
        """Return how many of all targets it is; a part of a target counts as one."""
        return math.ceil(whole * self.number / _WHOLE) if self.is_percentage else self.number


class Batch:
    """A sliding window: a fixed number of targets is called at once, and the next one when one has answered.

    Further targets may be found while the first are called: a percentage is of those known so far.

    Args:
        portion: how many targets are called at once.
    """

    def __init__(self, portion: Portion) -> None:
        self._portion = portion
        self._expected = 0
        self._places = 0
        self._free = asyncio.Semaphore(0)

    @classmethod
    def parse(cls, text: str | None) -> Self:
        """Parse `10` or `25%`; None means no limit.

        Raises:
            ConfigurationError: it is neither.
        """
        return cls(Portion(_UNBOUNDED, False) if text is None else Portion.parse(text, "batch"))

    def expect(self, count: int) -> None:
        """Add to the number of known targets.

        Args:
            count: how many more there are.
        """
        self._expected += count
        limit = self._portion.of(self._expected)
        most = _UNBOUNDED if self._portion.is_percentage else limit
        for _ in range(min(limit, self._expected, most) - self._places):
            self._places += 1
            self._free.release()

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
        """Count the time spent in the block.

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
