"""The changes that `test` states pretend to have made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap


def pretended_changes() -> DataMap:
    """Return a new mapping each time, because the caller may add to it."""
    return {"testing": {"old": "Unchanged", "new": "Something pretended to change"}}
