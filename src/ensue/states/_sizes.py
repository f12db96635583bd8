"""Sizes as a user writes them: bytes, or a number with a unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.model.data import Data

_SIZE: Final = re.compile(r"(?P<number>[0-9.]+)\s*(?P<prefix>[kmgtpezy]?)(?P<unit>ib|b)?\Z", re.IGNORECASE)
_PREFIXES: Final = " kmgtpezy"


def read_size(argument: str, size: Data) -> int:
    """Return a size in bytes; `10M` and `10MiB` count in powers of 1024, `10MB` in powers of 1000.

    Args:
        argument: the name of the argument, for the message.
        size: its value.

    Raises:
        StateFailedError: it is no size.
    """
    if isinstance(size, int):
        return size
    found = _SIZE.match(size.strip()) if isinstance(size, str) else None
    try:
        number = float(found["number"]) if found else -1.0
    except ValueError:
        number = -1.0
    if found is None or number < 0:
        raise StateFailedError(f"{argument}: {size!r} is no size (write a number, 64K, 10MB or 2GiB)")
    base = 1000 if (found["unit"] or "").lower() == "b" else 1024
    power = _PREFIXES.index(found["prefix"].lower()) if found["prefix"] else 0
    return int(number * base**power)
