"""Data from YAML, JSON and Jinja, as one recursive type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Scalar: TypeAlias = "str | int | float | bool | None"
"""A leaf. Dates stay strings, as Salt reads YAML."""

Data: TypeAlias = "Scalar | bytes | list[Data] | dict[str, Data]"
"""Any value of a user's file. Keys that are not strings are written as strings by the YAML reader."""

DataMap: TypeAlias = "dict[str, Data]"
"""A mapping at the top level: arguments, pillar, grains, configuration."""

ReadOnlyDataMap: TypeAlias = Mapping[str, Data]
"""A read-only `DataMapping`, for code that must not change it."""


Place: TypeAlias = "tuple[str | int, ...]"
"""Keys and indexes that lead to a value in data."""


def is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value of a user's file is a mapping; to a type checker its values are anything."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value of a user's file is a list; to a type checker its items are anything."""
    return isinstance(value, list)


def is_encodable(text: str) -> bool:
    """Return whether a text can be written as UTF-8, which half of a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def copied(value: Any) -> Any:
    """Return a value with all its mappings and lists copied; leaves are shared."""
    if value.__class__ is str:  # as nearly every value is
        return value
    if is_mapping(value):
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if is_list(value) else value


def mapped(value: Any, leaf: Callable[[Any], Any], key: Callable[[Any], Any] | None = None) -> Any:
    """Return a value with all its mappings and lists copied and every leaf replaced.

    Args:
        value: data, as deep as `MOST_LEVELS` allows.
        leaf: returns the replacement of a value that is neither a mapping nor a list.
        key: returns the replacement of a key; None: keys stay.
    """
    if is_mapping(value):
        if key is None:
            return {name: mapped(item, leaf) for name, item in value.items()}
        return {key(name): mapped(item, leaf, key) for name, item in value.items()}
    return [mapped(item, leaf, key) for item in value] if is_list(value) else leaf(value)


def leaves(value: Any, *, with_keys: bool = False) -> Iterator[Any]:
    """Yield every value in data that is neither a mapping nor a list, in reading order.

    Args:
        value: data, as deep as `MOST_LEVELS` allows; a leaf is yielded alone.
        with_keys: each key is yielded, too, before its value.
    """
    if is_mapping(value):
        for key, item in value.items():
            if with_keys:
                yield key
            yield from leaves(item, with_keys=with_keys)
    elif is_list(value):
        for item in value:
            yield from leaves(item, with_keys=with_keys)
    else:
        yield value


def texts(value: Any, *, with_keys: bool = False) -> Iterator[str]:
    """Yield every text in data, in reading order.

    Args:
        value: data.
        with_keys: each key that is a text is yielded, too, before its value.
    """
    return (leaf for leaf in leaves(value, with_keys=with_keys) if isinstance(leaf, str))


def leaf_places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every value in data that is neither a mapping nor a list, with its place.

    Args:
        value: data, as deep as `MOST_LEVELS` allows.
        place: where the data itself is.
    """
    if is_mapping(value) or is_list(value):
        members: Iterable[tuple[Any, Any]] = value.items() if is_mapping(value) else enumerate(value)
        for key, item in members:
            yield from leaf_places(item, (*place, key))
    else:
        yield place, value


def with_text_keys(value: Any) -> Any:
    """Return data in which every key is text, as in JSON; the same object if all of them are already."""
    return value if _has_text_keys(value) else _with_text_keys(value)


def not_data(value: object) -> str:
    """Return the part of a value that is not data, as text; empty if all of it is data.

    Args:
        value: the return value of a plug-in.
    """
    if value is None or isinstance(value, (str, int, float)):
        return ""
    if is_list(value):
        return next((strange for item in value if (strange := not_data(item))), "")
    if isinstance(value, dict):
        mapping = cast("dict[object, object]", value)
        keys = (f"the key {key!r}" for key in mapping if not isinstance(key, str))
        return next(keys, "") or next(
            (strange for item in mapping.values() if (strange := not_data(item))), ""
        )
    return f"{type(value).__name__} {value!r}"


def _has_text_keys(value: Any) -> bool:
    if isinstance(value, dict):
        for key, item in cast("dict[object, Any]", value).items():
            if not isinstance(key, str) or (isinstance(item, (dict, list)) and not _has_text_keys(item)):
                return False
    elif is_list(value):
        for item in value:
            if isinstance(item, (dict, list)) and not _has_text_keys(item):
                return False
    return True


def _with_text_keys(value: Any) -> Any:
    if is_mapping(value):
        return {_text_key(key): with_text_keys(item) for key, item in value.items()}
    return [with_text_keys(item) for item in value] if is_list(value) else value


def _text_key(key: object) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bytes):
        return key.decode("utf-8", "backslashreplace")
    return str(key).lower() if isinstance(key, bool) else "null" if key is None else str(key)
