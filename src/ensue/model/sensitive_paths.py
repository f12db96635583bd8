"""Finds and hides the secrets in a state's data by the paths that the state declares.

A path consists of keys and list indexes joined by colons (`credentials:password`, `nics:0:token`). A path
that leads nowhere is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.masking import MASK
from ensue.model.data import is_list, is_mapping, leaves
from ensue.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def values_at(data: Any, paths: Iterable[str]) -> Iterator[str]:
    """Yield, as text, every scalar below the paths, for a masker."""
    for path in paths:
        yield from scalar_texts(_at(data, path.split(":")))


def scalar_texts(data: Any) -> Iterator[str]:
    """Yield every scalar as text, except null, true, false and unknown values, which are never secrets."""
    for value in leaves(data):
        if isinstance(value, bytes):
            yield value.decode("utf-8", "backslashreplace")
        elif value is not None and not isinstance(value, bool | Unknown):
            yield str(value)


def hide_paths(data: Any, paths: Iterable[str]) -> Any:
    """Return data with the values at the paths replaced by `(sensitive)`; the rest is shared."""
    for path in paths:
        data = _hidden(data, path.split(":"))
    return data


def changed_paths(data: Any, masked: Any) -> Iterator[str]:
    """Yield the path of every value that masking has changed.

    Args:
        data: data in the clear.
        masked: the same data, masked; for a masked key, the path of its mapping is yielded.
    """
    return _changed("", data, masked)


def _changed(path: str, data: Any, masked: Any) -> Iterator[str]:
    below = f"{path}:" if path else ""
    if is_mapping(data):
        if data.keys() == masked.keys() and not any(":" in str(key) for key in data):
            for key, value in data.items():
                yield from _changed(f"{below}{key}", value, masked[key])
            return
    elif is_list(data):
        for place, (one, other) in enumerate(zip(data, masked, strict=True)):
            yield from _changed(f"{below}{place}", one, other)
        return
    if data != masked:
        yield path


def _at(data: Any, keys: list[str]) -> Any:
    for key in keys:
        if not key and len(keys) == 1:
            return data
        place = _place(data, key)
        if place is None:
            return None
        data = data[place]
    return data


def _hidden(data: Any, keys: list[str]) -> Any:
    if not keys or keys == [""]:
        return data if data is None else MASK
    place = _place(data, keys[0])
    if place is None:
        return data
    changed: Any = data.copy()
    changed[place] = _hidden(data[place], keys[1:])
    return changed


def _place(data: Any, key: str) -> Any:
    """Return the key or index that a part of a path refers to in a mapping or list; None if there is none."""
    if is_mapping(data):
        return key if key in data else next((one for one in data if str(one) == key), None)
    if is_list(data) and key.isdecimal() and int(key) < len(data):
        return int(key)
    return None
