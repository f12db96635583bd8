"""Finds the names that a glob matches without testing every name for every glob.

A glob nearly always begins or ends with plain characters (`app-*`, `*-service`). Names sorted by their
beginnings, and by their ends, narrow the search to the names with these characters.
"""

from __future__ import annotations

import fnmatch
import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

GLOB_SIGNS: Final = frozenset("*?[]")
_FIRST_SIGN: Final = re.compile(r"[*?\[]")
_LAST_SIGN: Final = re.compile(r"[*?\]]")


class NamesByGlob:
    """Names that globs are matched against.

    Args:
        names: the names; results keep their order.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        self._sorted: list[str] | None = None
        self._sorted_by_end: list[str] | None = None

    def matching(self, glob: str) -> list[str]:
        """Return the names that a shell glob (`*`, `?`, `[…]`) matches, in their order."""
        matches = re.compile(fnmatch.translate(glob)).match
        return sorted(filter(matches, self._possible(glob)), key=self._places.__getitem__)

    def _possible(self, glob: str) -> Iterable[str]:
        """Return the names that begin, or else end, as the glob does."""
        if start := _FIRST_SIGN.split(glob, maxsplit=1)[0]:
            if self._sorted is None:
                self._sorted = sorted(self._places)
            return _beginning(self._sorted, start)
        if end := _LAST_SIGN.split(glob)[-1]:
            if self._sorted_by_end is None:
                self._sorted_by_end = sorted(name[::-1] for name in self._places)
            return [name[::-1] for name in _beginning(self._sorted_by_end, end[::-1])]
        return self._places


def _beginning(ordered: list[str], start: str) -> list[str]:
    first = bisect_left(ordered, start)
    return ordered[first : bisect_right(ordered, start, first, key=lambda name: name[: len(start)])]
