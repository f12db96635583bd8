"""Lines that describe a network, compared: what differs, and how Salt words it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def difference(old: Sequence[str], new: Sequence[str]) -> str:
    """Return a difference of two descriptions, empty when they say the same.

    The order of a stanza's options is of no account, since files that other programs wrote have another one.

    Args:
        old: the lines that are there.
        new: the lines that are to be.
    """
    if _said(old) == _said(new):
        return ""
    return "\n".join(difflib.unified_diff(old, new, lineterm=""))


def planned(what: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the comment of a plan that would write a description.

    Args:
        what: what is described.
        old: the lines that are there.
        new: the lines that are to be.
    """
    if not old:
        return f"{what} set to be added."
    return f"{what} set to be updated:\n{difference(old, new)}"


def _said(lines: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    stanza = ""
    for line in lines:
        if not line.strip():
            continue
        if not line[0].isspace():
            stanza = line.strip()
        found.setdefault((stanza, line.split()[0]), []).append(line.strip())
    return found
