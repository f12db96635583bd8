"""Texts that a template prints into YAML or JSON: which are safe anywhere, and where the others are.

Used by the renderers of SLS and by drivers with templates.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_PLAIN: Final = re.compile(r"[\w./][\w./@+%^-]*(?: [\w./@+%^-]+)*")
"""What cannot change the structure of YAML or JSON text wherever it is put."""

ODD_LINE_END: Final = re.compile(r"[\r\x85\u2028\u2029]")
"""What ends a line in YAML, and is no line end to those who indent a text."""


class Written(str):
    """Text whose structure is an author's or a serializer's; the values in it have guards of their own."""

    __slots__ = ()


class Extent(msgspec.Struct, frozen=True):
    """Where a printed value is in a rendered text.

    Args:
        start: the offset of its first character.
        end: the offset after its last character.
    """

    start: int
    end: int


def is_plain(text: str) -> bool:
    """Return whether a text is plain words, numbers or paths, which change no structure anywhere."""
    return _PLAIN.fullmatch(text) is not None
