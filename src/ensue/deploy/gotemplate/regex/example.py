"""A text that an expression matches, as an example for people."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final, assert_never

from ensue.deploy.gotemplate.regex.parser import Parser
from ensue.deploy.gotemplate.regex.syntax import Alternation, At, CaptureGroup, Chars, Concatenation, Repeat

if TYPE_CHECKING:
    from ensue.deploy.gotemplate.regex.syntax import Regex

_PREFERRED: Final = string.ascii_letters + string.digits + string.punctuation + " \n\t"
_FURTHER: Final = 0x3000
"""Where the search for a character ends."""


def example_of(pattern: str, more: int = 0) -> str:
    r"""Return a short text that an expression probably matches; places such as `\b` are not regarded.

    Args:
        pattern: the expression.
        more: how many times more than needed each repetition occurs, as far as it may.

    Raises:
        CallError: it does not parse.
    """
    return _of(Parser(pattern).tree(), more)


def _of(tree: Regex, more: int) -> str:
    match tree:
        case Chars():
            further = map(chr, range(_FURTHER))
            return next(
                (character for character in (*_PREFERRED, *further) if tree.accepted.has(character)), ""
            )
        case At():
            return ""
        case Concatenation():
            return "".join(_of(part, more) for part in tree.items)
        case Alternation():
            return min((_of(alternative, more) for alternative in tree.items), key=len, default="")
        case CaptureGroup():
            return _of(tree.item, more)
        case Repeat():
            times = tree.least + more
            return _of(tree.item, more) * (times if tree.most is None else min(times, tree.most))
        case _:
            assert_never(tree)
