r"""Split a target expression into words and parentheses.

A parenthesis that is separate or begins a word groups. Inside a word it belongs to the word, as in
`E@(web|db)-.*`; a closing one that nothing in the word opened ends the word. Regular expressions may escape
a parenthesis (`\(`) or put it into brackets (`[(]`): then it is not counted.

Source: Salt splits at blanks alone; `(web* or db*)` is therefore a group here and two globs there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.language.targeting.errors import TargetSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATORS: Final = frozenset({"and", "or", "not"})

_PART: Final = re.compile(
    r"""(?x)
    (?P<blank> \s+ )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<text> (?: "[^"]*"                                # quoted
                  | \\[^\s"]                               # escaped
                  | \[ \^? \]? (?: \\[^\s"] | [^\s\[\]"\\] )* \]  # in brackets
                  | [^\s()"\\[]
                  | [\\[] )+ )                             # a bracket or backslash on its own
    | (?P<quote> " )
    """
)


class TargetPiece(NamedTuple):
    """A word, as written, or a parenthesis that groups; with its column, from 1."""

    text: str
    column: int


def pieces_of(expression: str) -> Iterator[TargetPiece]:
    """Yield the words and the parentheses that group.

    Raises:
        TargetSyntaxError: a quote or a parenthesis inside a word is never closed.
    """
    start: int | None = None
    opened: list[int] = []
    for part in _PART.finditer(expression):
        kind, place = part.lastgroup, part.start()
        if kind == "quote":
            raise TargetSyntaxError(expression, place + 1, "a quote that is never closed")
        if kind == "text":
            start = place if start is None else start
        elif kind == "open" and start is not None:
            _refuse_operator(expression, start, place)
            opened.append(place)
        elif kind == "close" and opened:
            opened.pop()
        else:
            if start is not None:
                yield _word(expression, start, place, opened)
                start = None
            if kind != "blank":
                yield TargetPiece(part.group(), place + 1)
    if start is not None:
        yield _word(expression, start, len(expression), opened)


def _word(expression: str, start: int, end: int, opened: list[int]) -> TargetPiece:
    if opened:
        raise TargetSyntaxError(
            expression,
            opened[-1] + 1,
            "a parenthesis that is never closed in its word (a blank ends a word unless it is quoted)",
        )
    return TargetPiece(expression[start:end], start + 1)


def _refuse_operator(expression: str, start: int, place: int) -> None:
    """Refuse `not(a)`, which would otherwise be read as an id."""
    if expression[start:place] in OPERATORS:
        problem = f"a blank is missing between {expression[start:place]!r} and the parenthesis"
        raise TargetSyntaxError(expression, place + 1, problem)
