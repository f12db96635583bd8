"""Functions of templates and the types of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, overload

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import Written
from ensue.deploy.gotemplate.failures import MOST_ITEMS, CallError, check_chars
from ensue.deploy.gotemplate.values import GoObject, is_number, type_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise CallError(f"a string is expected, not {type_of(value)}", help="Convert it with `toString`")


def _integer(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise CallError(f"an integer is expected, not {type_of(value)}", help="Convert it with `int`")


def _float(value: Any) -> float:
    if is_number(value):
        return float(value)
    raise CallError(f"a number is expected, not {type_of(value)}", help="Convert it with `float64`")


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise CallError(f"a boolean is expected, not {type_of(value)}", help="Compare it with `eq`")


def _mapping(value: Any) -> dict[str, Any]:
    if is_mapping(value):
        return value
    raise CallError(f"a mapping is expected, not {type_of(value)}")


def _list(value: Any) -> list[Any]:
    if is_list(value):
        return value
    raise CallError(f"a list is expected, not {type_of(value)}")


def _optional_list(value: Any) -> list[Any]:
    return [] if value is None else _list(value)


def _object(value: Any) -> GoObject:
    if isinstance(value, GoObject):
        return value
    raise CallError(f"an object is expected, not {type_of(value)}")


_CHECKS: Final[dict[str, Callable[[Any], Any] | None]] = {
    "a": None,
    "s": _text,
    "i": _integer,
    "f": _float,
    "b": _boolean,
    "d": _mapping,
    "l": _list,
    "L": _optional_list,
    "o": _object,
}


class Function(msgspec.Struct, frozen=True):
    """A function that templates call.

    Args:
        call: the Python function; it receives the checked arguments by position.
        checks: the check of each parameter; None for a parameter that accepts anything.
        least: the fewest arguments.
        most: the most arguments; None for any number: the last check applies to all further ones.
        needs_run: whether it receives the `RenderingServices` before its arguments.
        is_random: whether two calls with the same arguments return different values.
    """

    call: Callable[..., Any]
    checks: tuple[Callable[[Any], Any] | None, ...]
    least: int
    most: int | None
    needs_run: bool = False
    is_random: bool = False


@overload
def function(call: Callable[[], Any]) -> Function: ...
@overload
def function(call: Callable[[Any], Any], parameters: str) -> Function: ...
@overload
def function(call: Callable[[Any, Any], Any], parameters: str) -> Function: ...
@overload
def function(call: Callable[[Any, Any, Any], Any], parameters: str) -> Function: ...
@overload
def function(call: Callable[..., Any], parameters: str = "") -> Function: ...
def function(call: Callable[..., Any], parameters: str = "") -> Function:
    """Return a function with the types of its parameters.

    Args:
        call: the Python function.
        parameters: a letter per parameter: `a` anything, `s` string, `i` integer, `f` number, `b` boolean,
            `d` mapping, `l` list, `L` list or nil, `o` object. A `*` at the end lets the last one occur any
            number of times, a `?` lets it be left out; a leading `@` adds the surroundings of the rendering.
    """
    needs_run = parameters.startswith("@")
    letters = parameters.lstrip("@").rstrip("*?")
    checks = tuple(_CHECKS[letter] for letter in letters)
    if parameters.endswith("*"):
        return Function(call, checks, len(checks) - 1, None, needs_run)
    optional = len(parameters) - len(parameters.rstrip("?"))
    return Function(call, checks, len(checks) - optional, len(checks), needs_run)


def checked_arguments(name: str, called: Function, arguments: list[Any]) -> list[Any]:
    """Return the arguments of a call, converted to the types of its parameters.

    Args:
        name: the function's name.
        called: the function.
        arguments: the arguments that the template passes.

    Raises:
        CallError: there are too few or too many, or one is of another type.
    """
    count = len(arguments)
    if count < called.least or (called.most is not None and count > called.most):
        raise CallError(f"{name} takes {_arity(called)}, but is given {count}")
    checks = called.checks
    last = len(checks) - 1
    for index in range(count):
        check = checks[min(index, last)]
        if check is not None:
            try:
                arguments[index] = check(arguments[index])
            except CallError as error:
                raise CallError(f"argument {index + 1} of {name}: {error.what}", help=error.help) from None
    return arguments


def checked_result(called: Function, arguments: list[Any], result: Any) -> Any:
    """Check and return the result of a call; text is `Written` if no argument came from data.

    Args:
        called: the function.
        arguments: its arguments.
        result: its return value.

    Raises:
        CallError: the result exceeds a limit.
    """
    if isinstance(result, str):
        check_chars(len(result))
        return Written(result) if not called.is_random and _are_authored(arguments) else result
    if is_list(result) and len(result) > MOST_ITEMS:
        raise CallError(f"a list has more than {MOST_ITEMS:,} items")
    return result


def _are_authored(arguments: list[Any]) -> bool:
    return all(argument is None or isinstance(argument, (Written, int, float)) for argument in arguments)


def _arity(called: Function) -> str:
    if called.most is None:
        return f"at least {called.least} argument{'' if called.least == 1 else 's'}"
    if called.least != called.most:
        return f"{called.least} to {called.most} arguments"
    return f"{called.least} argument{'' if called.least == 1 else 's'}"
