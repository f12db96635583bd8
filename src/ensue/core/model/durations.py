"""Durations as people write them: `90s`, `30m`, `12h`, `3d`, `2w`."""

from __future__ import annotations

import re
from typing import Final

FORMS: Final = "90s, 30m, 12h, 3d or 2w"
"""Examples, for messages."""

_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION: Final = re.compile(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,3})?)(?P<unit>[smhdw])")


def duration_s(text: str) -> float | None:
    """Return a duration in seconds; None if the text is none.

    Example:
        `duration_s("1.5h")` is 5400.
    """
    match = _DURATION.fullmatch(text.strip())
    return None if match is None else float(match["number"]) * _UNITS_S[match["unit"]]
