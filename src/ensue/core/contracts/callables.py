"""Determine the parameters of a function, and whether its value must be awaited.

The answers equal those of the standard library's `inspect`. It is imported only for callables whose code
object does not give the answer. These are rare, and the import takes a tenth of a small run.
"""

from __future__ import annotations

from collections.abc import Awaitable
from types import CoroutineType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

_VARIABLE_POSITIONAL: Final = 0x04
_VARIABLE_KEYWORDS: Final = 0x08
_COROUTINE: Final = 0x80
_ITERABLE_COROUTINE: Final = 0x100
# Flags of a code object, as `inspect` names and documents them (CO_VARARGS, CO_VARKEYWORDS, ...).

_SAYS_OTHERWISE: Final = frozenset(
    {"__partialmethod__", "__signature__", "__wrapped__", "_is_coroutine_mark", "_partialmethod"}
)
"""Attributes by which a function declares what its code does not show."""


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a function.

    Args:
        name: its name.
        is_named: whether it can be given by its name.
        is_optional: whether it has a default.
        takes_others: whether it takes all arguments of other names (`**kwargs`).
    """

    name: str
    is_named: bool
    is_optional: bool
    takes_others: bool = False


def parameters(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function in order, as `inspect.signature` returns them.

    Raises:
        TypeError: the object has no signature.
        ValueError: its signature cannot be known.
    """
    if _is_plain(function):
        return list(_parameters_of_code(function.__code__, function.__defaults__, function.__kwdefaults__))
    import inspect

    one = inspect.Parameter
    return [
        Parameter(
            each.name,
            is_named=each.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY),
            is_optional=each.default is not one.empty,
            takes_others=each.kind is one.VAR_KEYWORD,
        )
        for each in inspect.signature(function).parameters.values()
    ]


def _parameters_of_code(
    code: CodeType, defaults: tuple[Any, ...] | None, keyword_defaults: dict[str, Any] | None
) -> Iterator[Parameter]:
    names = code.co_varnames
    positional = code.co_argcount
    keyword_only = positional + code.co_kwonlyargcount
    optional_from = positional - len(defaults or ())
    for index, name in enumerate(names[:positional]):
        yield Parameter(name, index >= code.co_posonlyargcount, index >= optional_from)
    following = keyword_only
    if code.co_flags & _VARIABLE_POSITIONAL:
        yield Parameter(names[following], is_named=False, is_optional=False)
        following += 1
    for name in names[positional:keyword_only]:
        yield Parameter(name, is_named=True, is_optional=name in (keyword_defaults or ()))
    if code.co_flags & _VARIABLE_KEYWORDS:
        yield Parameter(names[following], is_named=False, is_optional=False, takes_others=True)


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Return whether calling a function gives a coroutine, as `inspect.iscoroutinefunction` does."""
    if _is_plain(function):
        return bool(function.__code__.co_flags & _COROUTINE)
    import inspect

    return inspect.iscoroutinefunction(function)


def is_awaitable(value: object) -> TypeGuard[Awaitable[Any]]:
    """Return whether a value can be awaited, as `inspect.isawaitable` does."""
    # Nearly always a coroutine; the general check takes five times as long.
    return (
        value.__class__ is CoroutineType
        or isinstance(value, Awaitable)
        or (isinstance(value, GeneratorType) and bool(value.gi_code.co_flags & _ITERABLE_COROUTINE))
    )


def _is_plain(function: Callable[..., Any]) -> TypeGuard[FunctionType]:
    return type(function) is FunctionType and _SAYS_OTHERWISE.isdisjoint(function.__dict__)
