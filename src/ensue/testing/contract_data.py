"""What the contract suites feed to a target: names that are hard to quote, bytes of every value."""

from __future__ import annotations

import errno
import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

HARD_NAMES = (
    "plain",
    "two words",
    " leading and trailing ",
    "-rf",
    "quote'and\"double",
    "$HOME `id` $(id)",
    "star*?[a]",
    "back\\slash",
    "semi;colon&and|pipe",
    "new\nline",
    "tab\there",
    "ümläut €",
    "#hash",
    "~tilde",
    "no\udcff\udcfeutf8",
    "...",
)
"""File names that quoting, listing and decoding must bear."""

BIG_BYTES = 2 * 1024 * 1024 + 7
"""More than fits into any one message, and no round number."""

LONG_BYTES = 5 * 1024 * 1024 + 7
"""More than is read of a file at once."""

_CHUNK_BYTES = 100_003


def noise(size_bytes: int, *, seed: int = 1) -> bytes:
    """Return bytes of every value, the same for the same seed."""
    return random.Random(seed).randbytes(size_bytes)  # noqa: S311 (test data)


class ChunkedContent:
    """Long content out of bytes.

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
        """Yield it in parts, none of which is of a round size.

        Raises:
            OSError: it breaks off.
        """
        for at in range(0, self.size_bytes, _CHUNK_BYTES):
            if self._breaks_off and at > self.size_bytes / 2:
                raise OSError(errno.EIO, "the source breaks off")
            yield self._content[at : at + _CHUNK_BYTES]
