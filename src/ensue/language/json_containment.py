"""Checks that each value printed by a template stays within one string of a JSON text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.model.printed_text import Extent

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ENDS_STRING: Final = re.compile(r'["\\\x00-\x1f]')


def beyond_strings(text: str, extents: Sequence[Extent]) -> Iterator[Extent]:
    """Yield the extents of printed values that are more than a part of one JSON string.

    Args:
        text: JSON text.
        extents: the positions of printed values that are not plain words, in order.
    """
    strings = [match.span() for match in _STRING.finditer(text)]
    for extent in extents:
        place = bisect_right(strings, (extent.start, 0)) - 1
        if extent.is_serialized and _is_whole(text, extent, strings[place] if place >= 0 else (0, 0)):
            continue
        is_inside = place >= 0 and strings[place][0] < extent.start and extent.end < strings[place][1]
        if not is_inside or _ENDS_STRING.search(text, extent.start, extent.end):
            yield extent


def _is_whole(text: str, extent: Extent, string: tuple[int, int]) -> bool:
    """Return whether a printed value is outside of the string before it, and JSON itself."""
    if string[0] < extent.start < string[1]:
        return False
    try:
        json.loads(text[extent.start : extent.end])
    except ValueError:
        return False
    return True
