"""What the drafts of a scope ask of each other: requisite words with the drafts that they name, by number.

Most ask for nothing, and many for the same: those have one object, which nobody changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Words: TypeAlias = Mapping[str, Mapping[int, None]]
"""The words of one draft, each with the numbers of the drafts it names, in the order they are named."""

Wanted: TypeAlias = list[Words]
"""The words of every draft, by its number."""

NOTHING: Final[Words] = MappingProxyType({})
"""What a draft wants that asks for nothing."""


def add_wish(wanted: Wanted, number: int, word: str, target: int) -> None:
    """Note that one draft asks something of another.

    Args:
        wanted: what every draft asks for.
        number: who asks.
        word: what it asks.
        target: of whom.
    """
    words = wanted[number]
    if not isinstance(words, _Own):
        words = wanted[number] = _Own({name: dict(targets) for name, targets in words.items()})
    words.setdefault(word, {})[target] = None


class _Own(dict[str, dict[int, None]]):
    """Words that belong to one draft alone."""
