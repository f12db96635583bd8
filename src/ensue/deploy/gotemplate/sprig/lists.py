"""Lists.

Source: Sprig's documentation, "Lists and List Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.deploy.gotemplate.failures import CallError, check_items
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.language_functions import sliced
from ensue.deploy.gotemplate.sprig.reflection import are_deep_equal
from ensue.deploy.gotemplate.values import is_true

if TYPE_CHECKING:
    from collections.abc import Mapping


def _list(*values: Any) -> list[Any]:
    return list(values)


def _concat(*lists: list[Any]) -> list[Any]:
    check_items(sum(map(len, lists)))
    return [item for items in lists for item in items]


def _contains(items: list[Any], value: Any) -> bool:
    return any(are_deep_equal(item, value) for item in items)


def _uniq(items: list[Any]) -> list[Any]:
    if all(isinstance(item, str) for item in items):
        return list(dict.fromkeys(items))
    kept: list[Any] = []
    for item in items:
        if not _contains(kept, item):
            kept.append(item)
    return kept


def _without(items: list[Any], *values: Any) -> list[Any]:
    return [item for item in items if not _contains(list(values), item)]


def _slice(items: list[Any], *bounds: int) -> Any:
    return sliced(items, *bounds) if items else None


def _chunk(size: int, items: list[Any]) -> list[list[Any]]:
    if size < 1:
        raise CallError(f"chunks of {size} items", help="Give it 1 or more")
    return [items[begin : begin + size] for begin in range(0, len(items), size)]


_GROUP: Final[Mapping[str, Function]] = {
    "first": function(lambda items: items[0] if items else None, "l"),
    "last": function(lambda items: items[-1] if items else None, "l"),
    "rest": function(lambda items: items[1:], "l"),
    "initial": function(lambda items: items[:-1], "l"),
    "append": function(lambda items, value: [*items, value], "la"),
    "prepend": function(lambda items, value: [value, *items], "la"),
    "reverse": function(lambda items: items[::-1], "l"),
    "uniq": function(_uniq, "l"),
    "without": function(_without, "la*"),
    "has": function(lambda value, items: _contains(items, value), "aL"),
    "compact": function(lambda items: [item for item in items if is_true(item)], "l"),
    "slice": function(_slice, "li*"),
    "chunk": function(_chunk, "il"),
}

LIST_FUNCTIONS: Final[Mapping[str, Function]] = {
    **_GROUP,
    **{f"must{name[0].upper()}{name[1:]}": value for name, value in _GROUP.items()},
    "push": _GROUP["append"],
    "mustPush": _GROUP["append"],
    "concat": function(_concat, "l*"),
    "list": function(_list, "a*"),
    "tuple": function(_list, "a*"),
}
"""The functions by name."""
