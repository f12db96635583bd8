"""Compares lines of network files, and words the difference as Salt does."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def difference(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the diff of two descriptions, empty if they are equivalent.

    The order of the options in a stanza is ignored, because other programs write them in another order.

    Args:
        old: the present lines.
        new: the requested lines.
    """
    if _sections(old) == _sections(new):
        return ""
    return "\n".join(difflib.unified_diff(old, new, lineterm=""))


def planned(what: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the comment of a plan that would write a file.

    Args:
        what: what is described.
        old: the present lines.
        new: the requested lines.
    """
    if not old:
        return f"{what} set to be added."
    return f"{what} set to be updated:\n{difference(old, new)}"


def _sections(lines: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    sections: dict[tuple[str, str], list[str]] = {}
    stanza = ""
    for line in lines:
        if not line.strip():
            continue
        if not line[0].isspace():
            stanza = line.strip()
        sections.setdefault((stanza, line.split()[0]), []).append(line.strip())
    return sections
