"""Filters over mappings: entries, paths of keys, differences, tables.

Source: Salt's `data` and `dictupdate` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError

from ensue.core.model.data import is_list
from ensue.core.model.data import is_mapping as is_dict
from ensue.language.jinja.filters.kinds import is_mapping
from ensue.language.jinja.filters.numbers import to_num

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping


def to_entries(data: Any) -> list[dict[str, Any]]:
    """Return a mapping, or a list by its indices, as a list of mappings with `key` and `value`.

    Raises:
        TemplateRuntimeError: it is neither a mapping nor a list.
    """
    if is_mapping(data):
        return [{"key": key, "value": value} for key, value in data.items()]
    if is_list(data):
        return [{"key": index, "value": value} for index, value in enumerate(data)]
    raise TemplateRuntimeError("to_entries takes a mapping or a list")


def from_entries(entries: Iterable[Mapping[str, Any]]) -> dict[Any, Any]:
    """Return a mapping from entries with `key` (or `name`) and `value`, in any case."""
    mapping: dict[Any, Any] = {}
    for entry in entries:
        lower = {str(key).lower(): value for key, value in entry.items()}
        key = lower.get("key") or lower.get("name")
        if key:
            mapping[key] = lower.get("value")
    return mapping


def set_dict_key_value(
    data: Any, keys: str, value: Any, delimiter: str = ":", ordered_dict: bool = False
) -> Any:
    """Set the value under a path of keys, create missing keys, and return the mapping."""
    parent, last = _parent(data, keys, delimiter, ordered=ordered_dict)
    parent[last] = value
    return data


def update_dict_key_value(
    data: Any, keys: str, value: Any, delimiter: str = ":", ordered_dict: bool = False
) -> Any:
    """Update the mapping under a path of keys with another mapping, and return the whole.

    Raises:
        TemplateRuntimeError: the old or the new value is not a mapping.
    """
    parent, last = _parent(data, keys, delimiter, ordered=ordered_dict)
    if parent.get(last) is None:
        parent[last] = _empty(ordered=ordered_dict)
    if not is_dict(parent[last]):
        raise _unfit("update", keys, parent[last])
    try:
        parent[last].update(value)
    except (TypeError, ValueError):
        raise _unfit("update", keys, parent[last], value) from None
    return data


def append_dict_key_value(
    data: Any, keys: str, value: Any, delimiter: str = ":", ordered_dict: bool = False
) -> Any:
    """Append a value to the list under a path of keys, and return the mapping.

    Raises:
        TemplateRuntimeError: the old value is not a list.
    """
    _list_under(data, keys, delimiter, ordered=ordered_dict, doing="append to").append(value)
    return data


def extend_dict_key_value(
    data: Any, keys: str, value: Any, delimiter: str = ":", ordered_dict: bool = False
) -> Any:
    """Extend the list under a path of keys by the items of another list, and return the mapping.

    Raises:
        TemplateRuntimeError: the old or the new value is not a list.
    """
    listed = _list_under(data, keys, delimiter, ordered=ordered_dict, doing="extend")
    try:
        listed.extend(value)
    except TypeError:
        raise _unfit("extend", keys, listed, value) from None
    return data


def compare_dicts(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> dict[Any, dict[str, Any]]:
    """Return the `old` and `new` value of every changed key; a missing value is empty text."""
    removed = {key: {"new": "", "old": value} for key, value in old.items() if key not in new}
    changed = {
        key: {"old": old.get(key, ""), "new": value}
        for key, value in new.items()
        if key not in old or old[key] != value
    }
    return changed | removed


def compare_lists(old: list[Any], new: list[Any]) -> dict[str, list[Any]]:
    """Return the items only in the `new` list, and those only in the `old` list."""
    changes = {
        "new": [item for item in new if item not in old],
        "old": [item for item in old if item not in new],
    }
    return {word: items for word, items in changes.items() if items}


def mysql_to_dict(lines: Iterable[str], key: str) -> dict[Any, dict[str, Any]]:
    """Return the rows of a table printed by mysql, by the value of one column; digits become numbers.

    Raises:
        TemplateRuntimeError: it has no such column.
    """
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line and line[0] != "+"]
    if not rows:
        return {}
    records = [dict(zip(rows[0], map(to_num, cells), strict=False)) for cells in rows[1:]]
    if key not in rows[0]:
        msg = f"mysql_to_dict: there is no column {key!r}; there are {', '.join(rows[0])}"
        raise TemplateRuntimeError(msg)
    return {row[key]: row for row in records}


def _parent(data: Any, keys: str, delimiter: str, *, ordered: bool) -> tuple[MutableMapping[Any, Any], str]:
    """Return the mapping that contains the last of some keys, and that key."""
    *above, last = keys.split(delimiter)
    for key in above:
        if not is_dict(data.get(key)):
            data[key] = _empty(ordered=ordered)
        data = data[key]
    return data, last


def _list_under(data: Any, keys: str, delimiter: str, *, ordered: bool, doing: str) -> list[Any]:
    parent, last = _parent(data, keys, delimiter, ordered=ordered)
    if parent.get(last) is None:
        parent[last] = []
    listed = parent[last]
    if not is_list(listed):
        raise _unfit(doing, keys, listed)
    return listed


def _empty(*, ordered: bool) -> dict[Any, Any]:
    return OrderedDict() if ordered else {}


def _unfit(doing: str, keys: str, value_: Any, value: Any = None) -> TemplateRuntimeError:
    given = "" if value is None else f" with a {type(value).__name__}"
    return TemplateRuntimeError(f"cannot {doing} the value under {keys!r}, a {type(value_).__name__}{given}")


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "append_dict_key_value": append_dict_key_value,
    "compare_dicts": compare_dicts,
    "compare_lists": compare_lists,
    "extend_dict_key_value": extend_dict_key_value,
    "from_entries": from_entries,
    "mysql_to_dict": mysql_to_dict,
    "set_dict_key_value": set_dict_key_value,
    "to_entries": to_entries,
    "update_dict_key_value": update_dict_key_value,
}
"""Filters by the name that templates use."""
