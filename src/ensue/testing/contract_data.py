"""Data of the contract suites: names that are hard to quote, bytes of every value."""

from __future__ import annotations

import errno
import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

HARD_NAMES = (
    " leading and trailing ",
    "-rf",
    "quote'and\"double $HOME `id` $(id)",
    "star*?[a]back\\slash",
    "semi;colon&and|pipe\ttab",
    "new\nline",
    "~ümläut €",
    "#no\udcff\udcfeutf8",
    "...",
)
"""File names that quoting, listing and decoding must handle."""

BIG_BYTES = 2 * 1024 * 1024 + 7
"""More than fits into a single message, and not a round number."""

LONG_BYTES = 5 * 1024 * 1024 + 7
"""More than is read from a file at once."""

_CHUNK_BYTES = 100_003


def noise(size_bytes: int, *, seed: int = 1) -> bytes:
    """Return bytes of every value, the same for the same seed."""
    return random.Random(seed).randbytes(size_bytes)  # noqa: S311 (test data)


class ChunkedContent:
    """Long content from bytes.

    Args:
        content: what it is.
        breaks_off: its second half cannot be read.
    """

    def __init__(self, content: bytes, *, breaks_off: bool = False) -> None:
        self._content = content
        self._breaks_off = breaks_off
        self.size_bytes = len(content)
        self.sha256 = hashlib.sha256(content).hexdigest()

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the content in parts of odd sizes.

        Raises:
            OSError: it breaks off.
        """
        for at in range(0, self.size_bytes, _CHUNK_BYTES):
            if self._breaks_off and at > self.size_bytes / 2:
                raise OSError(errno.EIO, "the source breaks off")
            yield self._content[at : at + _CHUNK_BYTES]
