"""Long lists of names in a message: the first ones, and how many others there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def first_names(names: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`.

    Args:
        names: the names.
        most: how many are shown.
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
