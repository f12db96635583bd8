"""The value of a plain scalar: YAML 1.1 as Salt's minion reads it.

`0644` is 644, `12:30:45` is 45045, `yes` is true, dates stay strings, `1e3` is a string.

Source: measured in Salt 3008.5; YAML 1.1 types int, float, bool, null.
"""

from __future__ import annotations

import math
from typing import Final

from ensue.core.model.data_bounds import MOST_DIGITS

_BOOLS: Final = {
    spelled: value
    for word, value in (
        ("yes", True),
        ("no", False),
        ("true", True),
        ("false", False),
        ("on", True),
        ("off", False),
    )
    for spelled in (word, word.capitalize(), word.upper())
}
_SHOWN_CHARS: Final = 30


def boolean(text: str) -> bool:
    """Return the value of a scalar that is tagged as a boolean.

    Raises:
        ValueError: it is not one.
    """
    value = _BOOLS.get(text.lower())
    if value is None:
        raise ValueError(f"{_shortened(text)} is not a boolean")
    return value


def integer(text: str) -> int:
    """Return an integer scalar's value; leading zeros are dropped, as Salt does, not read as octal.

    Raises:
        ValueError: it is not one (`0x_` has no digits), or has more than `MOST_DIGITS` digits.
    """
    digits = text.replace("_", "")
    if digits.startswith("0") and not digits.startswith(("0b", "0x")):
        digits = digits.lstrip("0") or "0"
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if len(digits) > MOST_DIGITS:
        raise _too_long(text)
    try:
        value = _magnitude(digits)
    except ValueError:
        raise ValueError(f"{_shortened(text)} is not an integer") from None
    # Python does not write longer integers in decimal, so no message, JSON or file could contain one.
    if value.bit_length() > MOST_DIGITS * 3 and value >= 10**MOST_DIGITS:
        raise _too_long(text)
    return sign * value


def _magnitude(digits: str) -> int:
    if digits.startswith(("0b", "0x")):
        return int(digits, 0)
    if ":" in digits:
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
        return value
    if digits.startswith("0") and len(digits) > 1:
        return int(digits, 8)
    return int(digits)


def floating(text: str) -> float:
    """Return a float scalar's value.

    Raises:
        ValueError: it is not one.
    """
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits.lstrip("+-")
    if digits == ".inf":
        return sign * math.inf
    if digits == ".nan":
        return math.nan
    try:
        return sign * (_sexagesimal(digits) if ":" in digits else float(digits))
    except ValueError:
        raise ValueError(f"{_shortened(text)} is not a number") from None


def _sexagesimal(digits: str) -> float:
    value = 0.0
    for part in digits.split(":"):
        value = value * 60 + float(part)
    return value


def _too_long(text: str) -> ValueError:
    return ValueError(f"the integer {_shortened(text)} has more than {MOST_DIGITS:,} digits")


def _shortened(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…")
