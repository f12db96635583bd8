"""The content that files have after the states of a plan: each edit of a file goes on from the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext

_KEY: Final = "file.planned_content:"
_MOST_BYTES: Final = 4 << 20
"""The most that is kept of a file; a longer one is read again."""


def planned_content(ctx: StateContext, path: str) -> bytes | None:
    """Return the content that an earlier edit would give a file; None if there is none."""
    notes = ctx.plan_notes
    return None if notes is None else notes.get(f"{_KEY}{path}")


def note_content(ctx: StateContext, path: str, content: bytes) -> None:
    """Note, in a plan, the content that an edit would give a file."""
    notes = ctx.plan_notes
    if notes is not None and len(content) <= _MOST_BYTES:
        notes[f"{_KEY}{path}"] = content
