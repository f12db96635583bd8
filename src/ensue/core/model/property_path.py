"""Property paths: the segments that lead from a state's `new_state` to a value in it."""

from __future__ import annotations

import enum
from typing import TypeAlias

import msgspec


class Every(enum.Enum):
    """The index `*`."""

    ITEM = "*"


Index: TypeAlias = "int | Every"
"""An index in brackets: the number of an item (negative: from the end), or every item."""


class Indexed(msgspec.Struct, frozen=True, gc=False):
    """A segment of a property path that has indexes.

    Args:
        key: the key before them; None if the segment begins with an index.
        indexes: the indexes in its brackets, at least one.
    """

    key: str | None
    indexes: tuple[Index, ...]


Step: TypeAlias = "str | Indexed"
"""One segment of a property path: a key, or a segment with indexes."""
