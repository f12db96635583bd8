"""Colours of the terminal, and when they are wanted.

A `Palette` is a set of escape sequences, or of empty strings; code that prints never asks whether
colours are on. Salt's outputs use the same sequences. Nothing here writes.
"""

from __future__ import annotations

import os
import re
from typing import IO, Final, Literal

import msgspec

ColourMode = Literal["auto", "always", "never"]
"""`auto`: only on a terminal, and not where NO_COLOR is set."""


class Palette(msgspec.Struct, frozen=True, kw_only=True):
    """Escape sequences by what they do; all empty when colours are off."""

    green: str = ""
    cyan: str = ""
    red: str = ""
    light_red: str = ""
    light_yellow: str = ""
    bold: str = ""
    dim: str = ""
    end: str = ""

    def paint(self, colour: str, text: str) -> str:
        """Return the text in one colour."""
        return f"{colour}{text}{self.end}"

    def __bool__(self) -> bool:
        """Say whether colours are on."""
        return bool(self.end)


PLAIN: Final = Palette()
"""No colours."""

COLOURED: Final = Palette(
    green="\033[0;32m",
    cyan="\033[0;36m",
    red="\033[0;31m",
    light_red="\033[0;1;31m",
    light_yellow="\033[0;1;33m",
    bold="\033[0;1m",
    dim="\033[0;2m",
    end="\033[0;0m",
)
"""Salt's sequences, so that both look alike."""

_ESCAPES: Final = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])?"
_CONTROLS: Final = r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]"


def palette_for(stream: IO[str] | None, mode: ColourMode) -> Palette:
    """Return the palette for what is written to a stream.

    Args:
        stream: where the text goes.
        mode: what the user asked for.

    Source: https://no-color.org: a NO_COLOR that is not empty turns colours off, a flag outranks it.
    """
    if mode == "always":
        return COLOURED
    if mode == "never" or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return PLAIN
    return COLOURED if is_terminal(stream) else PLAIN


def is_terminal(stream: IO[str] | None) -> bool:
    """Say whether a stream is a terminal; a closed one is none."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def without_escapes(text: str) -> str:
    """Take terminal control sequences out of text that came from elsewhere.

    What a command on a target printed must not move the cursor of whoever reads the results.
    Tabs and line ends stay.
    """
    if text.isprintable():
        return text
    if "\x1b" in text:
        text = re.sub(_ESCAPES, "", text)
    return re.sub(_CONTROLS, "", text)
