"""Messages about plug-ins that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def not_there(kind: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no plug-in of a name, and which names are near, else which there are."""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=2)
    meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    return f"there is no {kind} {name!r} ({meant})"
