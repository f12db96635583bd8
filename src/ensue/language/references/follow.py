"""Follows a property path into a `new_state`, and writes values into text.

A key applied to a list is applied to each item, as after `[*]`. An index after a map in the same segment
applies to each item, too: `nics[*]:tags[0]` is the first tag of every nic, `rows[*][1]` a column. An index in
a separate segment applies to the result of the segments before it: `nics[*]:tags:[0]` are the tags of the
first nic.

Source: Idem's argument binding: indexes and wildcards.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import EnsueError
from ensue.model.data import is_list, is_mapping
from ensue.model.property_path import Every, Indexed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.model.property_path import Index, Step

    _Place = tuple[Step | Index, ...]
    """The path to a value, for messages."""

_MISSING: Final = object()
_OWN_SEGMENT: Final = Indexed(None, ())
"""In a path to a value, the mark before indexes that are a separate segment."""
_MOST_KEYS_SHOWN: Final = 20


class PathError(EnsueError, LookupError):
    """A property path that does not exist; the message says what is there instead."""


def follow(data: Any, steps: Sequence[Step]) -> Any:
    """Return the value at a property path: the object in the data, not a copy, unless items are mapped.

    Raises:
        PathError: a key is missing, an index is out of range, or a scalar is on the path.
    """
    for number, step in enumerate(steps):
        found = data.__class__ is dict and step in data
        data = data[step] if found else _taken(data, step, tuple(steps[:number]))
    return data


def as_text(value: Any) -> str:
    """Return a value as part of a longer text: text as it is, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return as_text(value) if isinstance(value, bytes) else str(value)


def _taken(data: Any, step: Step, before: _Place) -> Any:
    if isinstance(step, str):
        return _by_key(data, step, (), before)
    if step.key is None:
        return _indexed(data, step.indexes, (*before, _OWN_SEGMENT))
    return _by_key(data, step.key, step.indexes, before)


def _by_key(data: Any, key: str, indexes: tuple[Index, ...], before: _Place) -> Any:
    """Return the value at a key and the indexes after it; for a list, the values in each item."""
    if is_mapping(data):
        value = data.get(key, _MISSING)
        if value is _MISSING:
            # A state function may return keys that are not text; references name only text keys.
            value = next((value for other, value in data.items() if str(other) == key), _MISSING)
        if value is _MISSING:
            raise PathError(f"{_shown(before)} has no key {key!r}; {_keys(data)}")
        return _indexed(value, indexes, (*before, key)) if indexes else value
    if is_list(data):
        inside = before if before and _maps(before[-1]) else (*before, Every.ITEM)
        return [_by_key(item, key, indexes, inside) for item in data]
    raise PathError(f"{_shown(before)} is {_kind(data)}, so it has no key {key!r}")


def _indexed(data: Any, indexes: tuple[Index, ...], before: _Place) -> Any:
    """Return the value at some indexes; after `[*]` they apply to each item."""
    for number, index in enumerate(indexes):
        if index is Every.ITEM:
            items, rest = _items(data, "[*]", before), indexes[number + 1 :]
            inside = (*before, Every.ITEM)
            return [_indexed(item, rest, inside) for item in items] if rest else items
        data = _by_index(data, index, before)
        before = (*before, index)
    return data


def _maps(step: Step | Index) -> bool:
    return step is Every.ITEM or (isinstance(step, Indexed) and step.indexes[-1:] == (Every.ITEM,))


def _by_index(data: Any, index: int, before: _Place) -> Any:
    items = _items(data, f"[{index}]", before)
    if not -len(items) <= index < len(items):
        held = "1 item" if len(items) == 1 else f"{len(items)} items"
        raise PathError(f"{_shown(before)} has no [{index}]; it has {held}")
    return items[index]


def _items(data: Any, index: str, before: _Place) -> list[Any]:
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


def _shown(place: _Place) -> str:
    shown = ""
    for step in place[:-1] if place[-1:] == (_OWN_SEGMENT,) else place:
        match step:
            case str():
                shown += f":{step}" if shown else step
            case Indexed(key, indexes):
                shown += ":" if shown else ""
                shown += (key or "") + "".join(map(_in_brackets, indexes))
            case _:
                shown += _in_brackets(step)
    return f"{shown!r}" if shown else "new_state"


def _in_brackets(index: Index) -> str:
    return "[*]" if index is Every.ITEM else f"[{index}]"
