"""Sizes as users write and read them: bytes, or a number with a unit."""

from __future__ import annotations

import re
from typing import Any, Final

_SIZE: Final = re.compile(r"(?P<number>[0-9.]+)\s*(?P<prefix>[kmgtpezy]?)(?P<unit>ib|b)?\Z", re.IGNORECASE)
_PREFIXES: Final = " kmgtpezy"
_STEP: Final = 1024


def size_bytes(size: Any) -> int | None:
    """Return a size in bytes, None if it is not a size.

    Args:
        size: a number, or a text: `10M` and `10MiB` count in powers of 1024, `10MB` in powers of 1000.
    """
    if isinstance(size, int):
        return size
    match = _SIZE.match(size.strip()) if isinstance(size, str) else None
    if match is None:
        return None
    try:
        number = float(match["number"])
    except ValueError:
        return None
    base = 1000 if (match["unit"] or "").lower() == "b" else 1024
    power = _PREFIXES.index(match["prefix"].lower()) if match["prefix"] else 0
    return int(number * base**power)


def size_text(size: int) -> str:
    """Return a size as a person reads it: `12.5 MiB`, `800 bytes`.

    Args:
        size: in bytes.
    """
    number = float(size)
    for unit in ("bytes", "KiB", "MiB"):
        if number < _STEP:
            return f"{number:.1f}".removesuffix(".0") + f" {unit}"
        number /= _STEP
    return f"{number:.1f}".removesuffix(".0") + " GiB"
