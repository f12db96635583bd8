"""One tag line: `#!delayed_block NAME [scoped] [delayed_repeat_limit=N]` and its end.

Source: SEP 16, "Delayed Blocks" and "End Tags".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.language.blocks.block import UNLIMITED, UNSET, Limit
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span

LIMIT_WORD: Final = "delayed_repeat_limit"
SCOPED_WORD: Final = "scoped"
_COUNT: Final = r"0*[1-9][0-9]{0,99}\Z"
_BLOCK_FORM: Final = f"#!delayed_block NAME [{SCOPED_WORD}] [{LIMIT_WORD}=N]"
_END_FORM: Final = "#!end_delayed_block [NAME]"


class TagOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What an opening tag says besides the name.

    Args:
        scoped: whether the tag has the word `scoped`.
        limit: the limit, if the tag names one.
    """

    scoped: bool = False
    limit: Limit = UNSET


def read_opening(words: Sequence[str], span: Span, faults: list[Diagnostic]) -> tuple[str, TagOptions]:
    """Read the words after `#!delayed_block`.

    Args:
        words: the words.
        span: the tag's place.
        faults: the errors are added here.

    Returns:
        The name, empty if there is none, and the options.
    """
    if any("{{" in word or "{%" in word for word in words):
        listed = " ".join(words)
        help_ = "tags are read before any template is rendered: write the text itself"
        faults.append(_fault(f"a tag holds template code: {listed!r}", span, help_))
        return "", TagOptions()
    name = words[0] if words and "=" not in words[0] else ""
    if not name:
        faults.append(
            Diagnostic(
                code="E0902", summary="a delayed block has no name", span=span, help=f"write {_BLOCK_FORM}"
            )
        )
    return name, read_options(words[1:] if name else words, span, faults, form=_BLOCK_FORM)


def read_options(words: Sequence[str], span: Span, faults: list[Diagnostic], *, form: str = "") -> TagOptions:
    """Read `scoped` and `delayed_repeat_limit=N`, in any order, each at most once."""
    scoped = False
    limit: Limit = UNSET
    seen: set[str] = set()
    for word in words:
        key, equals, value = word.partition("=")
        if key in seen:
            faults.append(_fault(f"the word {key!r} is on a tag twice", span, "write it once"))
        elif word == SCOPED_WORD:
            scoped = True
        elif key == LIMIT_WORD:
            limit = read_limit(value if equals else "", span, faults)
        else:
            help_ = near_names(key, (SCOPED_WORD, LIMIT_WORD)) or f"write {form}"
            faults.append(_fault(f"a tag has the unknown word {word!r}", span, help_))
        seen.add(key)
    return TagOptions(scoped=scoped, limit=limit)


def read_limit(text: str, span: Span, faults: list[Diagnostic]) -> Limit:
    """Read a limit: a number from 1, or `None`."""
    if text == "None":
        return UNLIMITED
    if re.match(_COUNT, text):
        return int(text)
    help_ = f"it takes a number of at least 1, or None for no limit: {LIMIT_WORD}=3"
    faults.append(_fault(f"{LIMIT_WORD} is {text!r}", span, help_))
    return UNSET


def read_end(words: Sequence[str], span: Span, faults: list[Diagnostic]) -> str:
    """Read the words after `#!end_delayed_block` and return the name; empty if there is none."""
    if len(words) > 1:
        listed = " ".join(words[1:])
        faults.append(_fault(f"an end tag has the unknown words {listed!r}", span, f"write {_END_FORM}"))
    return words[0] if words else ""


def _fault(summary: str, span: Span, help_: str) -> Diagnostic:
    return Diagnostic(code="E0902", summary=summary, span=span, help=help_)
