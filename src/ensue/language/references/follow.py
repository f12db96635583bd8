"""Following a property path into a `new_state`, and writing what is found into text.

A key applied to a list is applied to each item, as behind `[*]`; an index is always applied to the value
that stands before it, be it a list of the data or one that a map has made.

Source: Idem's argument binding: indexes and wildcards.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import EnsueError
from ensue.model.data import is_list, is_mapping
from ensue.model.reference import Every

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.model.reference import Step

_MISSING: Final = object()
_MOST_KEYS_SHOWN: Final = 20


class PathError(EnsueError, LookupError):
    """A property path that leads nowhere; the text says what was there instead."""


def follow(data: Any, steps: Sequence[Step]) -> Any:
    """Return what a property path leads to; the data's own object, not a copy.

    Raises:
        PathError: a key is missing, an index is out of range, or a scalar stands in the way.
    """
    for number, step in enumerate(steps):
        found = data.__class__ is dict and step in data
        data = data[step] if found else _taken(data, step, steps[:number])
    return data


def as_text(value: Any) -> str:
    """Return a value as it stands within a longer text: text bare, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return as_text(value) if isinstance(value, bytes) else str(value)


def _taken(data: Any, step: Step, before: Sequence[Step]) -> Any:
    match step:
        case str():
            return _by_key(data, step, before)
        case int():
            return _by_index(data, step, before)
        case Every.ITEM:
            return _items(data, "[*]", before)


def _by_key(data: Any, key: str, before: Sequence[Step]) -> Any:
    if is_mapping(data):
        value = data.get(key, _MISSING)
        if value is _MISSING:
            # A state function may return keys that are no text; the language knows no others.
            value = next((value for other, value in data.items() if str(other) == key), _MISSING)
        if value is _MISSING:
            raise PathError(f"{_shown(before)} has no key {key!r}; {_keys(data)}")
        return value
    if is_list(data):
        inside = before if before and before[-1] is Every.ITEM else (*before, Every.ITEM)
        return [_by_key(item, key, inside) for item in data]
    raise PathError(f"{_shown(before)} is {_kind(data)}, so it has no key {key!r}")


def _by_index(data: Any, index: int, before: Sequence[Step]) -> Any:
    items = _items(data, f"[{index}]", before)
    if not -len(items) <= index < len(items):
        held = "1 item" if len(items) == 1 else f"{len(items)} items"
        raise PathError(f"{_shown(before)} has no [{index}]; it has {held}")
    return items[index]


def _items(data: Any, index: str, before: Sequence[Step]) -> list[Any]:
    if is_list(data):
        return data
    if isinstance(data, tuple):
        return list(data)  # pyright: ignore[reportUnknownArgumentType] # of anything
    there = f"; {_keys(data)}" if is_mapping(data) else ""
    raise PathError(f"{_shown(before)} is {_kind(data)}, so it has no {index}{there}")


def _keys(data: dict[str, Any]) -> str:
    if not data:
        return "it is empty"
    keys = [str(key) for key in data]
    more = f" and {len(keys) - _MOST_KEYS_SHOWN} more" if len(keys) > _MOST_KEYS_SHOWN else ""
    return f"it has {', '.join(keys[:_MOST_KEYS_SHOWN])}{more}"


def _kind(data: Any) -> str:
    """Name what a value is without showing it: it may be a secret."""
    match data:
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case _:
            return "a text"


def _shown(steps: Sequence[Step]) -> str:
    shown = ""
    for step in steps:
        match step:
            case str():
                shown += f":{step}" if shown else step
            case int():
                shown += f"[{step}]"
            case Every.ITEM:
                shown += "[*]"
    return f"{shown!r}" if shown else "new_state"
