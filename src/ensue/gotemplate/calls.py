"""Calls a function of a template: checks its arguments and its result, and tracks secrets through it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ensue.gotemplate.failures import CallError
from ensue.gotemplate.function import checked_arguments, checked_result
from ensue.gotemplate.secrecy import tracked, without_reason

if TYPE_CHECKING:
    from ensue.gotemplate.function import Function
    from ensue.gotemplate.surroundings import Surroundings


def result_of_call(name: str, called: Function, arguments: list[Any], around: Surroundings) -> Any:
    """Return the result of a function.

    Args:
        name: its name.
        called: the function.
        arguments: its arguments; they are converted to the types of its parameters in place.
        around: the rendering's surroundings.

    Raises:
        CallError: an argument has the wrong type, the function failed, or its result exceeds a limit.
        ValueError: the function failed, as does `ArithmeticError`.
    """
    checked_arguments(name, called, arguments)
    if called.is_random:
        around.on_random()
    call = partial(called.call, around) if called.needs_run else called.call
    if not around.tracks_secrets:
        return checked_result(called, arguments, call(*arguments))
    try:
        result = checked_result(called, arguments, call(*arguments))
    except (ValueError, ArithmeticError) as error:
        failure = error if isinstance(error, CallError) else CallError(str(error))
        raise without_reason(failure, arguments) from None
    return tracked(name, arguments, call, result)
