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
    positional: int,
    /,
    either: int,
    defaulted: int = 3,
    *args: int,
    named: int,
    named_defaulted: int = 6,
    **kwargs: int,
) -> Any:
    return [positional, either, defaulted, args, named, named_defaulted, kwargs]


@functools.wraps(_every_kind)
def _wrapped(*args: Any, **kwargs: Any) -> Any:
    return _every_kind(*args, **kwargs)


def _signed(*_: Any) -> None: ...


_signed.__signature__ = inspect.signature(_every_kind)  # type: ignore[attr-defined] # functions may have any attribute

_ALL = [
    Parameter("positional", is_named=False, is_optional=False),
    Parameter("either", is_named=True, is_optional=False),
    Parameter("defaulted", is_named=True, is_optional=True),
    Parameter("args", is_named=False, is_optional=False),
    Parameter("named", is_named=True, is_optional=False),
    Parameter("named_defaulted", is_named=True, is_optional=True),
    Parameter("kwargs", is_named=False, is_optional=False, takes_others=True),
]


@pytest.mark.parametrize("function", [_every_kind, _wrapped, _signed])
def test_parameters_of_every_kind(function: Callable[..., Any]) -> None:
    """A wrapper has the parameters of what it wraps, and a declared signature counts."""
    assert parameters(function) == _ALL


def test_a_partial_function_lacks_what_it_is_given() -> None:
    """A positional argument is gone; a named one has a default."""
    left = parameters(functools.partial(_every_kind, 1, named=2))

    assert [parameter.name for parameter in left] == [
        "either",
        "defaulted",
        "args",
        "named",
        "named_defaulted",
        "kwargs",
    ]
    assert next(parameter for parameter in left if parameter.name == "named").is_optional


def test_something_without_parameters() -> None:
    """What is no function has none to report."""
    with pytest.raises(TypeError):
        parameters(3)  # type: ignore[arg-type]
