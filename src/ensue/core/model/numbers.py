"""Numbers that users write, as floating-point numbers: an integer may be too large, and a float infinite."""

from __future__ import annotations

import math
from typing import Any


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
