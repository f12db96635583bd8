"""Texts that a template prints into YAML or JSON: which are safe anywhere, and where the others are.

Used by the renderers of SLS and by drivers with templates.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_PLAIN: Final = re.compile(r"[\w./][\w./@+%^-]*(?: [\w./@+%^-]+)*")
"""Text that cannot change the structure of YAML or JSON wherever it is inserted."""


class Written(str):
    """Text whose structure is an author's or a serializer's; the values in it are checked separately."""

    __slots__ = ()


class Serialized(str):
    """Text of a serializer, such as JSON: it may also be one whole value. Changing it makes ordinary text."""

    __slots__ = ()


def laid_out(text: str, given: str) -> str:
    """Return a text as that of a serializer or an author if it is such a text with other blanks around lines.

    Args:
        text: the text.
        given: the text that it was made of.
    """
    for kind in (Written, Serialized):
        if isinstance(given, kind):
            return kind(text)
    return text


MOST_LEVELS: Final = 3
"""How many levels of mappings an SLS has above the values of arguments: IDs, functions, arguments."""


class Extent(msgspec.Struct, frozen=True):
    """Where a printed value is in a rendered text.

    Args:
        start: the offset of its first character.
        end: the offset after its last character.
        is_serialized: whether a serializer wrote it; then it may also be one whole value of the text.
        levels: how many of its outer levels of mappings have only keys of an author, up to `MOST_LEVELS`.
    """

    start: int
    end: int
    is_serialized: bool = False
    levels: int = MOST_LEVELS


def is_plain(text: str) -> bool:
    """Return whether a text is plain words, numbers or paths, which change no structure anywhere."""
    return _PLAIN.fullmatch(text) is not None
