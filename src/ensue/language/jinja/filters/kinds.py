"""Tests for the type of a template's value, typed so that its content may be of any type."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeGuard

from jinja2 import StrictUndefined, pass_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether a value is any mapping."""
    return isinstance(value, Mapping)


def is_row(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Return whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_hashable(value: Any) -> TypeGuard[Hashable]:
    """Return whether a value's class is hashable, as text, numbers and tuples are and lists are not."""
    return isinstance(value, Hashable)


def is_iterable(value: Any) -> TypeGuard[Iterable[Any]]:
    """Return whether a value can be iterated over; text can."""
    try:
        iter(value)
    except TypeError:
        return False
    return True


def as_bytes(value: Any, encoding: str = "utf-8", errors: str = "strict") -> bytes:
    """Return text or bytes as bytes.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, str):
        return value.encode(encoding, errors)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"this takes text or bytes, and was given a {type(value).__name__}")


def keeps_undefined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a filter pass on an undefined input, so that `default` after it still works."""

    @wraps(function)
    def filtered(value: Any, *args: Any, **kwargs: Any) -> Any:
        missing = _undefined_in(value, set())
        return function(value, *args, **kwargs) if missing is None else missing

    return filtered


def not_folded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep Jinja from evaluating a filter once at compile time."""

    @pass_context
    @wraps(function)
    def filtered(_context: Context, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return filtered


def _undefined_in(value: Any, seen: set[int]) -> StrictUndefined | None:
    if isinstance(value, StrictUndefined):
        return value
    if isinstance(value, str) or id(value) in seen:
        return None
    if is_mapping(value):
        inner: Iterable[Any] = value.values()
    elif is_row(value):
        inner = value
    else:
        return None
    seen.add(id(value))
    return next((undefined for item in inner if (undefined := _undefined_in(item, seen)) is not None), None)
