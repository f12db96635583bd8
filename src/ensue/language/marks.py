"""The marks in a rendering that say which signs an author wrote, and where a printed value begins and ends.

Each process chooses them at random, so no value can contain one. They consist of characters of a
private-use area, which YAML and JSON allow in any scalar. They never leave `language`: the readers
of renderings remove them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LEAD: Final = "".join(chr(0xE100 + byte) for byte in os.urandom(10))
"""The beginning of all marks: 80 random bits. (The module `secrets` would take longer to import.)"""

AUTHORED: Final = f"{LEAD}\ue000"
"""The mark inside a sign (`${`, `__slot__:`) that an author wrote."""

BEGIN: Final = f"{LEAD}\ue001"
"""The mark before a printed value."""

END: Final = f"{LEAD}\ue002"
"""The mark after a printed value."""

ITEM: Final = f"{LEAD}\ue003"
"""The mark before and after the dash of a list item in a string constant of a template (`"- salt:/"`)."""

BEGIN_SERIALIZED: Final = f"{LEAD}\ue004"
"""The mark before a printed value that a serializer wrote."""

NOTHING: Final = f"{LEAD}\ue005"
"""The mark in place of a parameter that has no value."""

BEGIN_OF_RUN: Final = tuple(f"{LEAD}{chr(0xE006 + levels)}" for levels in range(MOST_LEVELS))
"""`BEGIN_SERIALIZED` of data with keys from the run, by how many outer levels have only keys of an author."""

_ANY: Final = re.compile(f"{LEAD}[\ue000-\ue008]")


def has_marks(text: str) -> bool:
    """Return whether a text holds a mark."""
    return LEAD in text


def without_marks(text: str) -> str:
    """Return a text without marks."""
    return _ANY.sub("", text) if LEAD in text else text


def without_authorship(text: str) -> str:
    """Return a text without the marks of authors; the marks of printed values stay."""
    return text.replace(AUTHORED, "") if LEAD in text else text


def unmarked(data: Any) -> Any:
    """Return data without marks, text as Python's own.

    Unmarked values stay the same objects, and nothing is changed in place.
    """
    return _MarkRemover().of(data)


def without_nothing(data: Any) -> Any:
    """Return data in which a text that is only the mark `NOTHING` is null; other texts lose the mark."""
    if isinstance(data, str):
        return None if data == NOTHING else data.replace(NOTHING, "")
    if is_list(data):
        return [without_nothing(item) for item in data]
    if is_mapping(data):
        return {_without_nothing_in_key(key): without_nothing(item) for key, item in data.items()}
    return data


def _without_nothing_in_key(key: Any) -> Any:
    return key.replace(NOTHING, "") if isinstance(key, str) else key


class _MarkRemover:
    """Removes marks from data that others also use; an alias is visited once."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}

    def of(self, data: Any) -> Any:
        if isinstance(data, str):
            return without_marks(data if data.__class__ is str else str(data))
        if is_list(data):
            return self._once(data, self._list)
        return self._once(data, self._mapping) if is_mapping(data) else data

    def _once(self, data: Any, unmark: Callable[[Any], Any]) -> Any:
        if id(data) not in self._known:
            self._known[id(data)] = data
            self._known[id(data)] = unmark(data)
        return self._known[id(data)]

    def _list(self, data: list[Any]) -> Any:
        items = [self.of(item) for item in data]
        return data if _are_same(items, data) else items

    def _mapping(self, data: dict[Any, Any]) -> Any:
        pairs = [(self.of(key), self.of(item)) for key, item in data.items()]
        is_same = _are_same((item for _, item in pairs), data.values())
        return data if is_same and _are_same((key for key, _ in pairs), data) else dict(pairs)


def _are_same(first: Iterable[Any], second: Iterable[Any]) -> bool:
    return all(item is other for item, other in zip(first, second, strict=True))
