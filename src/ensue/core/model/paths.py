"""Following a path of keys and indices through nested data, as Salt's `traverse` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

_ABSENT: Final = object()


def traverse(data: Any, key: Any, default: Any = None, delimiter: str = ":") -> Any:
    """Return the value at a path of keys and indices.

    Args:
        data: nested mappings and lists.
        key: the path: text with delimiters, a list of keys, or one number. A part on a list is a key of the
            first mapping in it that has it, else an index. A number also finds a key that is one.
        default: the value to return if the path leads nowhere.
        delimiter: the delimiter in a text.
    """
    for part in _parts(key, delimiter):
        data = _inner(data, part)
        if data is _ABSENT:
            return default
    return data


def _parts(key: Any, delimiter: str) -> Iterable[Any]:
    if isinstance(key, str):
        return key.split(delimiter)
    return [key] if isinstance(key, int) else key


def _inner(data: Any, part: Any) -> Any:
    if isinstance(data, list):
        return _in_list(data, part)
    if not isinstance(data, Mapping):
        return _ABSENT
    mapping = _whatever(data)
    if part in mapping:
        return mapping[part]
    return mapping.get(_number(part), _ABSENT) if isinstance(part, str) else _ABSENT


def _in_list(listed: Any, part: Any) -> Any:
    index = _number(part)
    key = part if index is None else index
    for entry in listed:
        if isinstance(entry, dict) and key in entry:
            return _whatever(entry)[key]
    in_range = isinstance(index, int) and -len(listed) <= index < len(listed)
    return listed[index] if in_range else _ABSENT


def _number(part: Any) -> Any:
    """Return a part as a number, since a mapping's key may be one; None if it is not a number."""
    for kind in (int, float):
        try:
            return kind(part)
        except (TypeError, ValueError):
            continue
    return None


def _whatever(data: Any) -> Any:
    """Widen the type of a value to Any: its content may be anything."""
    return data
