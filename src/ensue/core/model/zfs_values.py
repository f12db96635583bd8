"""Values of ZFS properties: as zfs takes them, and as they are compared."""

from __future__ import annotations

import re
from typing import Any, Final

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)([KMGTPEZ])(?:i?B)?", re.IGNORECASE)
_UNITS: Final = "KMGTPEZ"


def shown(value: Any) -> str:
    """Return the value of a property as zfs takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def parsed(value: Any) -> str:
    """Return the value of a property as `zfs get -p` shows it: sizes in bytes."""
    text = shown(value)
    match = _SIZE.fullmatch(text)
    if match is None:
        return text
    return str(int(float(match[1]) * 1024 ** (_UNITS.index(match[2].upper()) + 1)))
