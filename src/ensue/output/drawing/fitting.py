"""Fitting texts into a box: shortened in the middle, or broken into two lines."""

from __future__ import annotations

from typing import Final

from ensue.output.drawing.text_width import text_width

_BREAKS: Final = ".-_/#:"
_LONGEST_CHARS: Final = 80


def shown_line(text: str) -> str:
    """Return a text on one line, with a space for every character that is not printable."""
    if text.isprintable():
        return text
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def shortened(text: str) -> str:
    """Return a text of at most 80 characters, for programs that measure texts themselves.

    Args:
        text: one line; the middle of a longer one is left out.
    """
    return text if len(text) <= _LONGEST_CHARS else _without_middle(text, _LONGEST_CHARS - 1)


def fitted(text: str, room_px: float, size_px: float, *, bold: bool = False) -> str:
    """Return a text that fits into a width; the middle of a longer one is left out.

    Args:
        text: one line.
        room_px: the width, in pixels.
        size_px: the font's size.
        bold: whether it is set in bold.
    """
    if text_width(text, size_px, bold=bold) <= room_px:
        return text
    shortest, longest = 0, min(len(text) - 1, int(room_px))
    while shortest < longest:
        kept = (shortest + longest + 1) // 2
        if text_width(_without_middle(text, kept), size_px, bold=bold) <= room_px:
            shortest = kept
        else:
            longest = kept - 1
    return _without_middle(text, shortest)


def wrapped(text: str, room_px: float, size_px: float) -> list[str]:
    """Return a text as one line, or as two, broken after a punctuation mark if possible.

    Args:
        text: one line.
        room_px: the width of a line, in pixels.
        size_px: the font's size.
    """
    if text_width(text, size_px) <= room_px:
        return [text]
    most = _chars_that_fit(text, room_px, size_px)
    broken = max(text.rfind(sign, 0, most) for sign in _BREAKS) + 1
    at = broken if broken > most // 2 else most
    return [text[:at], fitted(text[at:], room_px, size_px)]


def _chars_that_fit(text: str, room_px: float, size_px: float) -> int:
    width = 0.0
    for place, char in enumerate(text):
        width += text_width(char, size_px)
        if width > room_px:
            return max(place, 1)
    return len(text)


def _without_middle(text: str, kept: int) -> str:
    ahead = (kept + 1) // 2
    return f"{text[:ahead]}…{text[len(text) - (kept - ahead) :]}"
