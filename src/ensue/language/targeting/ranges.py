"""`R@`: names with ranges in brackets, `web-[01-10]`, `db-[a,c]`, several separated by commas.

Source: Salt's range matcher takes the same words, from a server; here they are expanded.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NAMES: Final = 100_000
"""The most names that one word may expand to, since all are held in memory."""

_BETWEEN_WORDS: Final = r",(?![^\[\]]*\])"
_BRACKETS: Final = r"\[([^\[\]]*)\]"
_LONGEST_NUMBER: Final = 18


def names_in(pattern: str) -> int:
    """Return how many names the pattern of an `R@` expands to, without expanding it.

    Raises:
        ValueError: a bracket is never closed, or a range ends before it begins; the text says what is wrong.
    """
    return sum(
        math.prod(sum(map(_size, inside.split(","))) for inside in _insides(word))
        for word in re.split(_BETWEEN_WORDS, pattern)
    )


@functools.lru_cache(maxsize=64)
def names_of(pattern: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the names that the pattern of an `R@` expands to, and separately those that are globs."""
    names = {name for word in re.split(_BETWEEN_WORDS, pattern) for name in expand_range(word.strip())}
    globs = {name for name in names if "*" in name or "?" in name}
    return frozenset(names - globs), tuple(sorted(globs))


def expand_range(word: str) -> Iterator[str]:
    """Yield the names that bracket ranges expand to: `web-[01-03]` is three names, `[a,c]` two."""
    pieces: list[list[str]] = []
    for index, piece in enumerate(re.split(_BRACKETS, word)):
        pieces.append(list(_bracket(piece)) if index % 2 else [piece])
    for parts in itertools.product(*pieces):
        yield "".join(parts)


def _insides(word: str) -> list[str]:
    outside = re.sub(_BRACKETS, "", word)
    if "[" in outside or "]" in outside:
        raise ValueError(f"a bracket of {word!r} lacks the other one")
    return re.findall(_BRACKETS, word)


def _size(part: str) -> int:
    ends = _ends(part)
    if ends is None:
        return 1
    first, last = ends
    if len(last) > _LONGEST_NUMBER:
        raise ValueError(f"{part} is too long")
    if int(last) < int(first):
        raise ValueError(f"{part} ends before it begins")
    return int(last) - int(first) + 1


def _ends(part: str) -> tuple[str, str] | None:
    first, dash, last = part.strip().partition("-")
    return (first, last) if dash and first.isdecimal() and last.isdecimal() else None


def _bracket(inside: str) -> Iterator[str]:
    for part in inside.split(","):
        ends = _ends(part)
        if ends is None:
            yield part.strip()
        else:
            first, last = ends
            for number in range(int(first), int(last) + 1):
                yield str(number).zfill(len(first))
