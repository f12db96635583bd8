"""The typed value of data that is known only after apply."""

from __future__ import annotations

from typing import Any

import msgspec


class Unknown(msgspec.Struct, frozen=True):
    """A value that is not known until a state has run.

    Args:
        reference: the reference that determines it, as written (`${cloud:vm:id}`).
    """

    reference: str

    def __str__(self) -> str:
        """Return the value as plans show it."""
        return "(known after apply)"


def unknowns_in(data: Any) -> list[Unknown]:
    """Return every `Unknown` in nested data, in reading order."""
    match data:
        case Unknown():
            return [data]
        case dict():
            return [unknown for pair in data.items() for part in pair for unknown in unknowns_in(part)]  # pyright: ignore[reportUnknownVariableType]
        case list() | tuple():
            return [unknown for item in data for unknown in unknowns_in(item)]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return []


def has_unknowns(data: Any) -> bool:
    """Return whether nested data contains an `Unknown`; keys of mappings count, too."""
    kind = data.__class__
    if kind is dict:
        return any(map(has_unknowns, data)) or any(map(has_unknowns, data.values()))
    if kind is list or kind is tuple:
        return any(map(has_unknowns, data))
    return kind is Unknown
