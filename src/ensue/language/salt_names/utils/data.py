"""`salt.utils.data`: nested data."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ensue.core.model.paths import traverse
from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.utils.stringutils import to_bytes, to_str, to_unicode


def is_true(value: Any = None) -> bool:
    """Return whether a value means yes: a number from 1 on, `true` in any case, or truthy in Python."""
    for kind in (int, float):
        try:
            return kind(value) > 0
        except (TypeError, ValueError):
            continue
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def is_list(obj: Any) -> bool:
    """Return whether a value is a list."""
    return isinstance(obj, list)


def is_iter(thing: Any, ignore: tuple[type, ...] = (str, bytes)) -> bool:
    """Return whether a value is iterable and not a string."""
    return isinstance(thing, Iterable) and not isinstance(thing, ignore)


def traverse_dict(data: Any, key: str, default: Any = None, delimiter: str = ":") -> Any:
    """Return the value at a path of keys in nested mappings.

    Args:
        data: the mappings.
        key: the path, `a:b:c`.
        default: returned if there is no such value.
        delimiter: the separator between keys.
    """
    for part in str(key).split(delimiter):
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return default
    return data


def traverse_dict_and_list(data: Any, key: Any, default: Any = None, delimiter: str = ":") -> Any:
    """Return the value at a path of keys in nested mappings and lists; a number is a list index.

    Args:
        data: the mappings and lists.
        key: the path, `a:0:c`, or a list of its parts.
        default: returned if there is no such value.
        delimiter: the separator between keys.
    """
    return traverse(data, key, default, delimiter)


def subdict_match(data: Any, expr: str, delimiter: str = ":", **_options: Any) -> bool:
    """Return whether nested data has a value at a path, as `a:b:value`; the value may be a glob."""
    from fnmatch import fnmatchcase

    parts = str(expr).split(delimiter)
    for split in range(1, len(parts)):
        below = traverse_dict_and_list(data, delimiter.join(parts[:split]), {}, delimiter)
        expected = delimiter.join(parts[split:])
        values = below if isinstance(below, list) else [below]
        if any(fnmatchcase(str(value), expected) for value in values if not isinstance(value, Mapping)):
            return True
    return False


def compare_dicts(
    old: Mapping[Any, Any] | None = None, new: Mapping[Any, Any] | None = None
) -> dict[Any, Any]:
    """Return the differences of two mappings as `{key: {"old": …, "new": …}}`; `""` for a missing key."""
    before, after = old or {}, new or {}
    return {
        key: {"old": before.get(key, ""), "new": after.get(key, "")}
        for key in dict.fromkeys([*after, *before])
        if (key in before) is not (key in after) or before.get(key) != after.get(key)
    }


def compare_lists(old: list[Any] | None = None, new: list[Any] | None = None) -> dict[str, list[Any]]:
    """Return the items that are in only one of two lists, as `{"new": […], "old": […]}`."""
    added = [item for item in new or [] if item not in (old or [])]
    gone = [item for item in old or [] if item not in (new or [])]
    return {**({"new": added} if added else {}), **({"old": gone} if gone else {})}


def repack_dictlist(
    data: Any, strict: bool = False, recurse: bool = False, **_options: Any
) -> dict[Any, Any]:
    """Return a list of one-key mappings as one mapping; empty if it is not such a list.

    Args:
        data: the list; a string or number in it is a key with the value None.
        strict: without effect, as in Salt.
        recurse: convert values that are such lists, too.
    """
    packed: dict[Any, Any] = {}
    for item in data if isinstance(data, list) else []:
        if isinstance(item, Mapping) and len(item) == 1:
            ((key, value),) = item.items()
            nested = repack_dictlist(value, strict, recurse) if recurse and isinstance(value, list) else {}
            packed[key] = nested or value
        elif isinstance(item, (str, int, float)):
            packed[item] = None
        else:
            return {}
    return packed


def filter_falsey(data: Any, recurse_depth: int | None = None, **_options: Any) -> Any:
    """Return data without falsy values, down to a depth."""
    deeper = None if recurse_depth is None else recurse_depth - 1

    def inner(value: Any) -> Any:
        return value if recurse_depth == 0 or recurse_depth is None else filter_falsey(value, deeper)

    if isinstance(data, Mapping):
        return type(data)((key, kept) for key, value in data.items() if (kept := inner(value)))  # type: ignore[call-arg]
    return [kept for value in data if (kept := inner(value))] if isinstance(data, list) else data


def decode(data: Any, encoding: str | None = None, **_options: Any) -> Any:
    """Return nested data with every bytes object decoded to a string."""
    return _mapped(data, lambda value: to_unicode(value, encoding))


def encode(data: Any, encoding: str | None = None, **_options: Any) -> Any:
    """Return nested data with every string encoded to bytes."""
    return _mapped(data, lambda value: to_bytes(value, encoding))


def stringify(data: Iterable[Any]) -> list[str]:
    """Return the items as strings."""
    return [to_str(item) if isinstance(item, (str, bytes)) else str(item) for item in data]


def _mapped(data: Any, convert: Any) -> Any:
    if isinstance(data, Mapping):
        return {_mapped(key, convert): _mapped(value, convert) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(_mapped(item, convert) for item in data)
    return convert(data) if isinstance(data, (str, bytes)) else data


__getattr__ = not_there(__name__)
