"""Colours on the terminal, and the removal of control sequences from text that came from elsewhere.

A `Palette` is a set of escape sequences, or of empty strings, so code that prints never asks whether
colours are on. Salt's outputs use the same sequences. Nothing here writes.

Text that a terminal may show goes through `without_escapes`, a name through `on_one_line`; `documents` writes
what a terminal would act on as escapes of JSON and YAML.
"""

from __future__ import annotations

import os
import re
from typing import IO, Final, Literal

import msgspec

from ensue.core.model.documents import MISLEADING

ColourMode = Literal["auto", "always", "never"]
"""`auto`: only on a terminal, and not if NO_COLOR is set."""


class Palette(msgspec.Struct, frozen=True, kw_only=True):
    """Escape sequences by what they do; all empty if colours are off."""

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
        """Return whether colours are on."""
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

_ESCAPES: Final = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[@-Z\\^_]?"
)
"""Sequences that begin with ESC, or with the one character (C1) that replaces ESC and the next one."""

_CONTROLS: Final = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"


def palette_for(stream: IO[str] | None, mode: ColourMode) -> Palette:
    """Return the palette for what is written to a stream.

    Args:
        stream: where the text goes.
        mode: what the user requested.

    Source: https://no-color.org: a NO_COLOR that is not empty turns colours off, a flag overrides it.
    """
    if mode == "always":
        return COLOURED
    if mode == "never" or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return PLAIN
    return COLOURED if is_terminal(stream) else PLAIN


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a stream is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def without_escapes(text: str) -> str:
    """Remove terminal control sequences from text that came from elsewhere.

    What a command on a target printed must not move the cursor of the person who reads the results.
    Characters that change the direction of text, and Unicode's own line ends, become visible escapes. Tabs
    and line ends stay.
    """
    if text.isprintable():
        return text
    text = re.sub(_CONTROLS, "", re.sub(_ESCAPES, "", text))
    return re.sub(f"[{MISLEADING}]", _visible, text)


def on_one_line(text: str) -> str:
    """Return a name from elsewhere without control sequences, its line ends as visible escapes.

    An ID that contains a line end must not produce a line that looks like one of ensue's own.
    """
    return text if text.isprintable() else without_escapes(text).replace("\n", "\\n")


def _visible(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
