"""Finding many secrets in a text: at each place the longest that begins there, from left to right.

Secrets become known one after the other, and between two of them text is masked. So nothing here is made
anew from all of them: a table leads from the first characters of a secret to the lengths of those that begin
so, and the expression that finds where one may begin knows only which characters begin them.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Final

from ensue.masking.forms import MASK

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST_PART_CHARS: Final = 4
"""A secret shorter than this is masked only where it is a whole value, else it would eat ordinary text."""

_HEADS: Final = (16, SHORTEST_PART_CHARS)
"""The lengths of beginnings in the table, longest first.

The longer one is for secrets that begin as ordinary text does: the dashes of a private key.
"""

_BEYOND_ASCII: Final = "\x80"
"""The key of all characters that are not ASCII: there are too many to tell them apart."""


class SecretParts:
    """Texts that are hidden wherever they occur. Threads may add and mask at the same time."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._first_chars: tuple[set[str], ...] = tuple(set() for _ in range(SHORTEST_PART_CHARS))
        self._beginning: re.Pattern[str] | None = None
        self._adding = Lock()

    def add(self, parts: Iterable[str]) -> None:
        """Take note of texts.

        Args:
            parts: each of at least `SHORTEST_PART_CHARS` characters.
        """
        with self._adding:
            for part in parts:
                if part not in self._known:
                    self._known.add(part)
                    self._add_length(part)
                    self._add_first_chars(part)

    def mask(self, text: str) -> str:
        """Return the text with `(sensitive)` in the place of every part."""
        if not self._known:
            return text
        pieces: list[str] = []
        end = 0
        for match in (self._beginning or self._compiled()).finditer(text):
            start = match.start()
            if start >= end and (length := self._longest_at(text, start)):
                pieces += (text[end:start], MASK)
                end = start + length
        return "".join((*pieces, text[end:])) if pieces else text

    def _longest_at(self, text: str, start: int) -> int:
        """Return the length of the longest part that begins at a place; 0: none does."""
        for size in _HEADS:
            for length in self._lengths.get(text[start : start + size], ()):
                if text[start : start + length] in self._known:
                    return min(length, len(text) - start)
        return 0

    def _add_length(self, part: str) -> None:
        head = part[: next(size for size in _HEADS if len(part) >= size)]
        lengths = self._lengths.get(head, ())
        if len(part) not in lengths:
            self._lengths[head] = tuple(sorted((*lengths, len(part)), reverse=True))

    def _add_first_chars(self, part: str) -> None:
        for chars, char in zip(self._first_chars, part, strict=False):
            kind = min(char, _BEYOND_ASCII)
            if kind not in chars:
                chars.add(kind)
                self._beginning = None

    def _compiled(self) -> re.Pattern[str]:
        """Compile the expression that finds where parts may begin; the lookahead lets matches overlap."""
        with self._adding:
            first, *following = map(_one_of, self._first_chars)
            self._beginning = re.compile(f"{first}(?={''.join(following)})")
            return self._beginning


def _one_of(chars: set[str]) -> str:
    """Return an expression for one of the characters; one that is not ASCII is any such one."""
    ranges = [re.escape(char) for char in sorted(chars - {_BEYOND_ASCII})]
    if _BEYOND_ASCII in chars:
        ranges.append(f"{_BEYOND_ASCII}-\U0010ffff")
    return f"[{''.join(ranges)}]"
