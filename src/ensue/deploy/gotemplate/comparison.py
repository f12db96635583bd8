"""Compare a template's values: equality and order.

Go refuses to compare an integer with a float. Here both are numbers, because which of them `8080` in the data
is depends on the program that parsed it.
"""

from __future__ import annotations

from typing import Any

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.values import GoObject, is_number, type_of


def equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal.

    Args:
        first: a number, string, boolean or nil.
        second: another.

    Raises:
        CallError: they are of different kinds, or are lists or mappings.
    """
    for value in (first, second):
        if is_list(value) or is_mapping(value):
            raise CallError(
                f"{type_of(value)} cannot be compared", help="Compare its members, or use `deepEqual`"
            )
    if first is None or second is None:
        return first is second
    if _kind(first) != _kind(second):
        raise _incompatible(first, second)
    return bool(first == second)


def is_less(first: Any, second: Any) -> bool:
    """Return whether a value comes before another.

    Args:
        first: a number or string.
        second: another of the same kind.

    Raises:
        CallError: they cannot be ordered.
    """
    if _kind(first) != _kind(second):
        raise _incompatible(first, second)
    if _kind(first) not in {"number", "string"}:
        raise CallError(f"{type_of(first)} has no order")
    return bool(first < second)


def _kind(value: Any) -> str:
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, GoObject) else type_of(value)


def _incompatible(first: Any, second: Any) -> CallError:
    what = f"{type_of(first)} and {type_of(second)} cannot be compared"
    return CallError(what, help="Convert one of them, with `int` or `toString` for instance")
