"""Limits how much an archive may unpack to, so that a small file cannot fill memory or disk ("zip bomb").

There are two limits. The size counts every file, and 512 bytes per entry. The ratio compares this size with
that of the archive; it is ignored for archives that unpack to less than 16 MiB, because a few small files
may compress very well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from ensue.core.errors import StateFailedError
from ensue.library.states._sizes import read_size

if TYPE_CHECKING:
    from ensue.core.model.data import Data

DEFAULT_MAX_SIZE: Final = "2GiB"
DEFAULT_MAX_RATIO: Final = 200
_ANY_RATIO_BYTES: Final = 16 << 20
_ENTRY_BYTES: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much an archive may unpack to.

    Args:
        size_bytes: maximum total size.
        ratio: maximum total size, as a multiple of the archive's size.
    """

    size_bytes: int
    ratio: float


def read_limits(max_size: Data, max_ratio: Data) -> Limits:
    """Read the arguments `max_size` and `max_ratio`.

    Raises:
        StateFailedError: an argument is not a number above zero.
    """
    size_bytes = read_size("max_size", max_size)
    if size_bytes <= 0:
        raise StateFailedError(f"max_size: {max_size!r} is not above zero")
    if isinstance(max_ratio, bool) or not isinstance(max_ratio, int | float) or not max_ratio > 0:
        raise StateFailedError(f"max_ratio: {max_ratio!r} is not a number above zero")
    return Limits(size_bytes=size_bytes, ratio=max_ratio)


class Budget:
    """Counts the unpacked size of an archive while it is read.

    Args:
        limits: the limits.
        packed_bytes: size of the archive.
        shown: the archive's source, for messages.
    """

    def __init__(self, limits: Limits, packed_bytes: int, shown: str) -> None:
        self._limits = limits
        self._packed_bytes = packed_bytes
        self._shown = shown
        self._by_ratio = max(_ANY_RATIO_BYTES, limits.ratio * packed_bytes)
        self._spent_bytes = 0

    def spend(self, size_bytes: int) -> None:
        """Count an entry, before its content is read.

        Raises:
            StateFailedError: the archive exceeds a limit.
        """
        self._spent_bytes += size_bytes + _ENTRY_BYTES
        self.check(self._spent_bytes)

    def check(self, unpacked_bytes: int) -> None:
        """Refuse an archive that has already unpacked to more than the limits allow.

        Raises:
            StateFailedError: the archive exceeds a limit.
        """
        if unpacked_bytes > self._limits.size_bytes:
            raise StateFailedError(
                f"{self._shown} unpacks to more than {self._limits.size_bytes} bytes, the limit `max_size`: "
                "nothing was unpacked (if you trust the archive, set `max_size` higher, for example to 20GiB)"
            )
        if unpacked_bytes > self._by_ratio:
            raise StateFailedError(
                f"{self._shown} has {self._packed_bytes} bytes and unpacks to more than "
                f"{self._limits.ratio:g} times as many, the limit `max_ratio`: nothing was unpacked (if you "
                "trust the archive, set `max_ratio` higher, for example to 2000)"
            )


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size_bytes: int, /) -> bytes:
        """Return at most `size_bytes` bytes, none at the end."""
        ...


class LimitedReader:
    """A stream that fails as soon as more is read than a budget allows.

    Args:
        stream: yields the decompressed archive.
        budget: counts what is read.
    """

    def __init__(self, stream: Readable, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget
        self._read_bytes = 0

    def read(self, size_bytes: int, /) -> bytes:
        """Return at most `size_bytes` bytes, none at the end.

        Raises:
            StateFailedError: more was read than the budget allows.
        """
        content = self._stream.read(size_bytes)
        self._read_bytes += len(content)
        self._budget.check(self._read_bytes)
        return content
