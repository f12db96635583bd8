"""The syntax tree of a regular expression.

Source: the documentation of Go's `regexp/syntax`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, Union

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.deploy.gotemplate.regex.char_sets import CharSet

Place: TypeAlias = Literal["text_begin", "text_end", "line_begin", "line_end", "word_edge", "no_word_edge"]
Regex: TypeAlias = Union["Chars", "At", "Concatenation", "Alternation", "Repeat", "CaptureGroup"]


class Chars(msgspec.Struct, frozen=True):
    """One character of a set."""

    accepted: CharSet


class At(msgspec.Struct, frozen=True):
    """A place in the text, without a character."""

    place: Place


class Concatenation(msgspec.Struct, frozen=True):
    """Expressions one after another; none match the empty text."""

    items: Sequence[Regex]


class Alternation(msgspec.Struct, frozen=True):
    """Alternatives, the preferred one first."""

    items: Sequence[Regex]


class Repeat(msgspec.Struct, frozen=True):
    """An expression several times; `most` is None for any number."""

    item: Regex
    least: int
    most: int | None
    is_greedy: bool


class CaptureGroup(msgspec.Struct, frozen=True):
    """A group whose text is remembered under its number."""

    item: Regex
    number: int
