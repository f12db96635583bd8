"""An estimate of how wide a browser draws a text, because the reader's font is not known.

The widths are those of DejaVu Sans, rounded up. It is wider than the other fonts that browsers use for
`sans-serif`.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_NARROW: Final = 0.42
_COMMON: Final = 0.66
_CAPITAL: Final = 0.8
_BROAD: Final = 1.02
_PICTURE: Final = 1.5
_BOLD: Final = 1.15
_FIRST_PICTURE: Final = "\U0001f000"
_ASCII: Final = {
    **dict.fromkeys(map(chr, range(32, 127)), _COMMON),
    **dict.fromkeys("ABCDEFGHKLNPRSTUVXYZ&", _CAPITAL),
    **dict.fromkeys("mwMWOQ@%#+<=>~^", _BROAD),
    **dict.fromkeys(" !'(),-./:;I[]fijlrt|\\`", _NARROW),
}


def text_width(text: str, size_px: float, *, bold: bool = False) -> float:
    """Return an upper bound of a text's width in pixels.

    Args:
        text: one line.
        size_px: the font's size.
        bold: whether it is set in bold.
    """
    return sum(map(_width, text)) * size_px * (_BOLD if bold else 1.0)


def _width(char: str) -> float:
    known = _ASCII.get(char)
    if known is not None:
        return known
    if char >= _FIRST_PICTURE:
        return _PICTURE
    # A character that the font lacks is drawn as a box with its number, or in another font.
    return _BROAD + 0.1 if unicodedata.east_asian_width(char) in "WF" else _BROAD
