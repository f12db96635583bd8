"""A comment box for the top of a file: `slsutil.banner`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_TITLE: Final = "THIS FILE IS MANAGED BY SALT - DO NOT EDIT"
_TEXT: Final = (
    "The contents of this file are managed by Salt. Any changes to this file may be overwritten "
    "automatically and without warning."
)


def banner(
    ctx: FunctionContext,
    width: int = 72,
    commentchar: str = "#",
    borderchar: str = "#",
    blockstart: str | None = None,
    blockend: str | None = None,
    title: str | None = None,
    text: str | None = None,
    newline: bool = False,
) -> str:
    """Return a comment box which says that a file is managed.

    The wording is Salt's, so files that a formula manages do not change.

    Args:
        width: the width of the box, in characters.
        commentchar: the characters at the start and end of each line.
        borderchar: the character of the border.
        blockstart: a line before the box.
        blockend: a line after it.
        title: the centred title.
        text: the text below the title.
        newline: end with a newline.

    Raises:
        StateFailedError: no word fits into the box.
    """
    left, right = commentchar.rstrip(), commentchar.strip()
    room = width - len(left) - len(right) - 2
    if room <= 0:
        raise StateFailedError("slsutil.banner: the width is too small for any text")
    border = commentchar + borderchar[:1] * (width - len(left) - len(right)) + right
    blank = commentchar + " " * (width - len(commentchar) * 2) + commentchar
    titles = [line.center(room) for line in textwrap.wrap(_TITLE if title is None else title, room)]
    texts = [line.ljust(room) for line in textwrap.wrap(_TEXT if text is None else text, room)]
    lines = [border, blank, *_boxed(titles, left, right), blank, *_boxed(texts, left, right), border]
    block = [line for line in (blockstart, *lines, blockend) if line is not None]
    return "\n".join(block) + ("\n" if newline else "")


def _boxed(lines: list[str], left: str, right: str) -> list[str]:
    return [f"{left} {line} {right}" for line in lines]
