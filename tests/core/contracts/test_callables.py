"""The parameters of functions of every shape."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.callables import Parameter, parameters

if TYPE_CHECKING:
    from collections.abc import Callable


def _every_kind(
    one: int, /, two: int, three: int = 3, *four: int, five: int, six: int = 6, **seven: int
) -> Any:
    return [one, two, three, four, five, six, seven]


@functools.wraps(_every_kind)
def _wrapped(*args: Any, **kwargs: Any) -> Any:
    return _every_kind(*args, **kwargs)


def _signed(*_: Any) -> None: ...


_signed.__signature__ = inspect.signature(_every_kind)  # type: ignore[attr-defined] # functions may have any attribute

_ALL = [
    Parameter("one", is_named=False, is_optional=False),
    Parameter("two", is_named=True, is_optional=False),
    Parameter("three", is_named=True, is_optional=True),
    Parameter("four", is_named=False, is_optional=False),
    Parameter("five", is_named=True, is_optional=False),
    Parameter("six", is_named=True, is_optional=True),
    Parameter("seven", is_named=False, is_optional=False, takes_others=True),
]


@pytest.mark.parametrize("function", [_every_kind, _wrapped, _signed])
def test_parameters_of_every_kind(function: Callable[..., Any]) -> None:
    """A wrapper has the parameters of what it wraps, and a declared signature counts."""
    assert parameters(function) == _ALL


def test_a_partial_function_lacks_what_it_is_given() -> None:
    """A positional argument is gone; a named one has a default."""
    left = parameters(functools.partial(_every_kind, 1, five=2))

    assert [one.name for one in left] == ["two", "three", "four", "five", "six", "seven"]
    assert next(one for one in left if one.name == "five").is_optional


def test_something_without_parameters() -> None:
    """What is no function has none to report."""
    with pytest.raises(TypeError):
        parameters(3)  # type: ignore[arg-type]
