"""The requisites of a scope's drafts: for each draft, its words and the numbers of the drafts they name.

Most drafts have none, and many have the same; these share one object, which is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Words: TypeAlias = Mapping[str, Mapping[int, None]]
"""The words of one draft, each with the numbers of the drafts it names, in the order they are named."""

Requested: TypeAlias = list[Words]
"""The words of every draft, by its number."""

NOTHING: Final[Words] = MappingProxyType({})
"""The words of a draft without requisites."""


def add_request(requested: Requested, number: int, word: str, target: int) -> None:
    """Add a requisite of one draft on another.

    Args:
        requested: the words of every draft; changed.
        number: the draft that has the requisite.
        word: the requisite's word (`require`).
        target: the draft that it names.
    """
    words = requested[number]
    if not isinstance(words, _Own):
        words = requested[number] = _Own(
            {name: dict(targets) for name, targets in words.items()} if words else ()
        )
    targets = words.get(word)
    if targets is None:
        targets = words[word] = {}
    targets[target] = None


class _Own(dict[str, dict[int, None]]):
    """Words that belong to one draft alone."""
