"""The words after `stateconf` on the first line of a file: `-o -s -G -p`, and the two renderers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Sequence

FORM: Final = "#!stateconf [-Gosp] [DATA_RENDERER . TEMPLATE_RENDERER]"

_DEFAULT: Final = "yaml . jinja"
_LETTERS: Final = frozenset("Gosp")
_DOT: Final = re.compile(r"\s+\.\s+")


class StateconfOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one file.

    Args:
        template: the renderer of the text, with its arguments.
        data: the renderer that turns it into data, with its arguments.
        has_goal: whether the SLS gets a state that requires all of its states.
        has_start: whether it gets a state that all of its states wait for.
        is_chained: whether each of its states requires the one before it.
        takes_data: whether the stage before this one has made the data.
    """

    template: str
    data: str
    has_goal: bool = True
    has_start: bool = False
    is_chained: bool = False
    takes_data: bool = False


def read_options(arguments: str, path: str) -> StateconfOptions:
    """Read the words after the renderer's name.

    Args:
        arguments: the words.
        path: the file, as messages show it.

    Raises:
        CompileError: an option is unknown, or the two renderers are missing.
    """
    letters, words = _split(arguments.split())
    if unknown := letters - _LETTERS:
        raise misuse(f"there is no option -{min(unknown)}", Span(path, 1), help_=FORM)
    parts = _DOT.split(" ".join(words) or _DEFAULT, maxsplit=1)
    data, template = (part.replace("\\.", ".") for part in (*parts, "")[:2])
    if not data.strip(". ") or not template.strip(". "):
        raise misuse("it does not name two renderers", Span(path, 1), help_=FORM)
    return StateconfOptions(
        template=template,
        data=data,
        has_goal="G" not in letters,
        has_start="s" in letters,
        is_chained="o" in letters,
        takes_data="p" in letters,
    )


def misuse(detail: str, span: Span, help_: str) -> CompileError:
    """Return the error for a file that uses `stateconf` incorrectly."""
    return CompileError(
        [
            Diagnostic(
                code="E0224",
                summary="the renderer 'stateconf' cannot be used like this",
                detail=detail,
                span=span,
                help=help_,
            )
        ]
    )


def _split(words: Sequence[str]) -> tuple[set[str], Sequence[str]]:
    """Return the letters of the options, and the words after them."""
    letters: set[str] = set()
    for index, word in enumerate(words):
        if not word.startswith("-") or word in ("-", "--"):
            return letters, words[index + (word == "--") :]
        letters.update(word[1:])
    return letters, ()
