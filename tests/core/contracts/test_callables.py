"""What is told of functions and of values without `inspect` is what `inspect` tells."""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import pkgutil
import types
from typing import TYPE_CHECKING, Any

import pytest

import ensue.library.modules
import ensue.library.states
from ensue.core.contracts.callables import Parameter, is_awaitable, is_coroutine_function, parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Shapes:
    def method(self, one: int) -> None: ...

    def __call__(self, one: int, /, *, two: int = 2) -> None: ...


def _every_kind(
    one: int, /, two: int, three: int = 3, *four: int, five: int, six: int = 6, **seven: int
) -> Any:
    return [one, two, three, four, five, six, seven]


def _no_rest(one: int, /, two: int = 2, *, three: int) -> None: ...


async def _awaited(one: int, *, two: None = None) -> None: ...


@functools.wraps(_every_kind)
def _wrapped(*args: Any, **kwargs: Any) -> Any:
    return _every_kind(*args, **kwargs)


def _signed(*_: Any) -> None: ...


_signed.__signature__ = inspect.signature(_no_rest)  # type: ignore[attr-defined] # functions may have any attribute


def _told_by_inspect(function: Callable[..., Any]) -> list[Parameter]:
    one = inspect.Parameter
    return [
        Parameter(
            each.name,
            each.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY),
            each.default is not one.empty,
            each.kind is one.VAR_KEYWORD,
        )
        for each in inspect.signature(function).parameters.values()
    ]


_FUNCTIONS = (
    _every_kind,
    _no_rest,
    _awaited,
    _wrapped,
    _signed,
    _Shapes,
    _Shapes().method,
    _Shapes(),
    functools.partial(_every_kind, 1, five=2),
    functools.partial(_awaited, 1),
    lambda: None,
    len,
)


@pytest.mark.parametrize("function", _FUNCTIONS, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_a_function_of_any_shape(function: Callable[..., Any]) -> None:
    """Parameters of every kind, wrappers, methods and callable objects are told as `inspect` tells them."""
    assert parameters(function) == _told_by_inspect(function)
    assert is_coroutine_function(function) is inspect.iscoroutinefunction(function)


@pytest.mark.parametrize(
    "package", [ensue.library.states, ensue.library.modules], ids=lambda package: package.__name__
)
def test_every_function_of_ours(package: types.ModuleType) -> None:
    """So are all state functions and all execution functions."""
    seen = 0
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for function in getattr(importlib.import_module(found.name), "FUNCTIONS", {}).values():
            assert parameters(function) == _told_by_inspect(function)
            assert is_coroutine_function(function) is inspect.iscoroutinefunction(function)
            seen += 1
    assert seen


def _plain_generator() -> Iterator[None]:
    yield


@types.coroutine
def _generator_that_is_awaited() -> Iterator[None]:
    yield


def test_what_can_be_awaited() -> None:
    """Coroutines, marked generators and futures can be, and nothing else can."""
    coroutine, loop = _awaited(1), asyncio.new_event_loop()
    awaited = [coroutine, loop.create_future(), _generator_that_is_awaited()]
    values: list[object] = [*awaited, _plain_generator(), {}, None, True, _awaited]
    told = [is_awaitable(value) for value in values]
    coroutine.close()
    loop.close()
    assert told == [True, True, True, False, False, False, False, False]
    assert told == [inspect.isawaitable(value) for value in values]
