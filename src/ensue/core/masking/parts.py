"""Masks many secrets in a text: from left to right, at each position the longest that begins there.

Secrets are added one by one, and text is masked in between, so adding one must not rebuild everything. A
table maps the first characters of secrets to their lengths, and the regular expression that finds where one
may begin contains only their first characters.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Final

from ensue.core.masking.forms import MASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHORTEST_PART_CHARS: Final = 4
"""A shorter secret is masked only as a whole value; elsewhere it would hide ordinary text."""

_HEADS: Final = (16, SHORTEST_PART_CHARS)
"""The lengths of the prefixes in the table, longest first.

The longer one is for secrets that begin like ordinary text: the dashes of a private key.
"""

_BEYOND_ASCII: Final = "\x80"
"""The key of all non-ASCII characters, which are too many to distinguish."""


class SecretParts:
    """Texts that are masked wherever they occur. Threads may add and mask concurrently."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._first_chars: tuple[set[str], ...] = tuple(set() for _ in range(SHORTEST_PART_CHARS))
        self._beginning: re.Pattern[str] | None = None
        self._adding = Lock()

    def add(self, parts: Iterable[str]) -> None:
        """Add texts to mask.

        Args:
            parts: each of at least `SHORTEST_PART_CHARS` characters.
        """
        with self._adding:
            for part in parts:
                if part not in self._known:
                    self._known.add(part)
                    self._add_length(part)
                    self._add_first_chars(part)

    def mask(self, text: str, is_spared: Callable[[str, int, int], bool] | None = None) -> str:
        """Return the text with every part replaced with `(sensitive)`.

        Args:
            text: the text.
            is_spared: whether a part of the text, by its start and its end, stays; None: none does.
        """
        if not self._known:
            return text
        pieces: list[str] = []
        end = 0
        for start, after in self._found(text):
            if is_spared is not None and is_spared(text, start, after):
                continue
            pieces += (text[end:start], MASK)
            end = after
        return "".join((*pieces, text[end:])) if pieces else text

    def within(self, text: str) -> list[str]:
        """Return the parts that occur in a text."""
        return [text[start:end] for start, end in self._found(text)] if self._known else []

    def joined_lines(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text; those that a part of several lines is in are one, without that part.

        Returns:
            How many lines of the text each is, and the line.
        """
        end, count, line = 0, 1, ""
        for start, after in (*self._over_lines(text), (len(text), len(text))):
            line, *further = (line + text[end:start]).split("\n")
            for following in further:
                yield count, line
                count, line = 1, following
            line += MASK if after > start else ""
            count += text.count("\n", start, after)
            end = after
        yield count, line

    def _over_lines(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each part of several lines begins and ends, without the line ends around it."""
        for start, end in self._found(text) if self._known else ():
            part = text[start:end]
            inner = part.strip("\n")
            if "\n" in inner:
                first = start + part.index(inner)
                yield first, first + len(inner)

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each part that `mask` replaces begins and ends."""
        end = 0
        for match in (self._beginning or self._compiled()).finditer(text):
            start = match.start()
            if start >= end and (length := self._longest_at(text, start)):
                end = start + length
                yield start, end

    def _longest_at(self, text: str, start: int) -> int:
        """Return the length of the longest part that begins at a position, 0 if none does."""
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
        """Compile the expression that finds where parts may begin; its lookahead lets matches overlap."""
        with self._adding:
            first, *following = map(_one_of, self._first_chars)
            self._beginning = re.compile(f"{first}(?={''.join(following)})")
            return self._beginning


def _one_of(chars: set[str]) -> str:
    """Return an expression for one of the characters; a non-ASCII one stands for any non-ASCII character."""
    ranges = [re.escape(char) for char in sorted(chars - {_BEYOND_ASCII})]
    if _BEYOND_ASCII in chars:
        ranges.append(f"{_BEYOND_ASCII}-\U0010ffff")
    return f"[{''.join(ranges)}]"
