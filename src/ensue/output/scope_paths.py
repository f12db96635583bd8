"""The path of a scope in a line that has to fit a terminal: the middle of a long path is left out."""

from __future__ import annotations

from typing import Final

_LEFT_OUT: Final = "…"


def shortened(scope: str, room: int) -> str:
    """Return a path no longer than `room` if possible: its first step, and its last ones.

    Args:
        scope: the path, `caller/block/caller/block`.
        room: how many characters it may have.
    """
    if len(scope) <= room:
        return scope
    first, *steps = scope.split("/")
    kept = ""
    for step in reversed(steps):
        longer = f"/{step}{kept}"
        if len(first) + len(f"/{_LEFT_OUT}{longer}") > room:
            break
        kept = longer
    if kept:
        return f"{first}/{_LEFT_OUT}{kept}"
    return _LEFT_OUT + scope[max(len(scope) - room + 1, 0) :] if room > 1 else _LEFT_OUT
