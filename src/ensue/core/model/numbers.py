"""Numbers that users and systems write: an integer may be too large or too long, and a float infinite."""

from __future__ import annotations

import math
from typing import Any, Final

_MOST_DIGITS: Final = 18
"""As many as every unsigned number of a system has at most; Python refuses texts of thousands of digits."""


def finite(value: Any) -> float | None:
    """Return a finite floating-point number; None for other numbers, huge integers, and what is no number.

    Args:
        value: any data; true and false are no numbers.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def whole_number(text: str) -> int | None:
    """Return a text as an unsigned decimal number; None if it is not one that a system would print."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None
