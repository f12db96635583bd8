"""Marks around data that a template prints, so that its place in the YAML can be checked.

The marks are random in each process, so no value can contain one. They consist of private-use characters,
which YAML allows in any scalar, and never leave this package.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import texts
from ensue.core.model.printed_text import Extent, Serialized, Written, is_plain
from ensue.core.model.secret_marks import SecretText, joined, spans_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.secret_marks import Spans

_LEAD: Final = "".join(chr(0xE100 + byte) for byte in os.urandom(10))
_BEGIN: Final = f"{_LEAD}\ue000"
_END: Final = f"{_LEAD}\ue001"
_FIRST_DIGIT: Final = 0xE200
_NUMBER_END: Final = "\ue20a"
_MARK: Final = re.compile(f"{_BEGIN}([\ue200-\ue209]+){_NUMBER_END}|{_END}")


class Origin(NamedTuple):
    """The expression that printed a text.

    Args:
        expression: its source text; empty: not known.
        line: its line in the template, counted from 1.
        help: what to write instead.
        is_serialized: whether a serializer wrote it; then it may also be one whole value.
    """

    expression: str
    line: int
    help: str
    is_serialized: bool = False


class Printed(NamedTuple):
    """A text that was printed.

    Args:
        extent: where it is.
        origin: what printed it.
    """

    extent: Extent
    origin: Origin


class Guards:
    """Marks the output of one template."""

    def __init__(self) -> None:
        self._numbers: dict[Origin, int] = {}

    def guarded(self, text: str, origin: Origin) -> str:
        """Return a text with marks, unless it is plain or written by the author; a secret stays one."""
        if not text or isinstance(text, Written) or is_plain(text):
            return text
        if isinstance(text, Serialized):
            origin = origin._replace(is_serialized=True)
        return joined([self._beginning(origin), text, _END])

    def _beginning(self, origin: Origin) -> str:
        number = self._numbers.setdefault(origin, len(self._numbers))
        digits = "".join(chr(_FIRST_DIGIT + int(digit)) for digit in str(number))
        return f"{_BEGIN}{digits}{_NUMBER_END}"

    def taken_out(self, text: str) -> tuple[str, list[Printed]]:
        """Return a rendered text without marks, and the texts that were marked, in order; secrets stay."""
        if _LEAD not in text:
            return text, []
        if spans := spans_of(text):
            clear, printed = self.taken_out(str(text))
            return SecretText(clear, _without_marks(text, spans)), printed
        origins = list(self._numbers)
        pieces: list[str] = []
        marked: list[Printed] = []
        opened: list[tuple[int, Origin]] = []
        position = length = 0
        for mark in _MARK.finditer(text):
            pieces.append(text[position : mark.start()])
            length += mark.start() - position
            position = mark.end()
            if mark[1]:
                number = int("".join(str(ord(digit) - _FIRST_DIGIT) for digit in mark[1]))
                opened.append((length, origins[number]))
            elif opened:
                start, origin = opened.pop()
                marked.append(Printed(Extent(start, length, origin.is_serialized), origin))
        pieces.append(text[position:])
        marked.sort(key=lambda part: part.extent.start)
        return "".join(pieces), marked

    def put_back(self, text: str, printed: Iterable[Printed]) -> str:
        """Return a text with marks around some of the texts that were marked; secrets stay."""
        signs = sorted(
            sign
            for extent, origin in printed
            for sign in (
                (extent.start, 1, -extent.end, self._beginning(origin)),
                (extent.end, 0, -extent.start, _END),
            )
        )
        clear = str(text)
        offsets = [0, *(sign[0] for sign in signs), len(clear)]
        between = [clear[start:end] for start, end in pairwise(offsets)]
        marked = "".join(chain(*zip_longest(between, (sign[-1] for sign in signs), fillvalue="")))
        if not (spans := spans_of(text)):
            return marked
        added = [0, *accumulate(len(sign[-1]) for sign in signs)]
        places = offsets[1:-1]
        moved = (
            (start + added[bisect_right(places, start)], end + added[bisect_left(places, end)])
            for start, end in spans
        )
        return SecretText(marked, tuple(moved))


def _without_marks(text: str, spans: Spans) -> Spans:
    """Return where parts of a text are when its marks are taken out."""
    ends = [mark.end() for mark in _MARK.finditer(text)]
    removed = [0, *accumulate(mark.end() - mark.start() for mark in _MARK.finditer(text))]

    def moved(offset: int) -> int:
        return offset - removed[bisect_right(ends, offset)]

    return tuple((moved(start), moved(end)) for start, end in spans)


def has_marks(text: str) -> bool:
    """Return whether a text holds marks."""
    return _LEAD in text


def without_marks(text: str) -> str:
    """Return a text without marks."""
    return _MARK.sub("", text) if _LEAD in text else text


def is_plain_data(data: Any) -> bool:
    """Return whether all texts in some data are plain, keys included."""
    return all(not text or is_plain(text) for text in texts(data, with_keys=True))
