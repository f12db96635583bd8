"""What the contract suites feed to a target: names that are hard to quote, bytes of every value."""

from __future__ import annotations

import random

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


def noise(size_bytes: int, *, seed: int = 1) -> bytes:
    """Return bytes of every value, the same for the same seed."""
    return random.Random(seed).randbytes(size_bytes)  # noqa: S311 (test data)
