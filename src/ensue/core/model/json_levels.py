"""Whether JSON text from another machine is nested deeper than data may be.

Decoders accept more levels than functions that walk through data do, so the text is looked at before anything
is made of it.
"""

from __future__ import annotations

import re
from typing import Final

from ensue.core.model.data_bounds import MOST_LEVELS

_AROUND: Final = 8
"""The levels that a message or an event has around the data in it."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


def has_too_many_levels(text: str) -> bool:
    """Return whether lists and mappings are nested in more levels than data may have.

    Args:
        text: JSON; for text that is none, the result means nothing.
    """
    # Most texts have fewer brackets than there may be levels.
    if text.count("[") + text.count("{") <= MOST_LEVELS + _AROUND:
        return False
    level = 0
    for match in _TOKEN.finditer(text):
        sign = text[match.start()]
        if sign in "[{":
            level += 1
            if level > MOST_LEVELS + _AROUND:
                return True
        elif sign != '"':
            level -= 1
    return False
