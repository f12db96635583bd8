"""Which results of functions are secret: all that are computed from a secret.

Of most functions, the whole result is. Three kinds are more exact, so that what is next to a secret in a list
or in JSON is not a secret as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.printed_text import Written
from ensue.core.model.secret_marks import Secret, computed, computed_in_place, holds_secret, secret
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import checked_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.deploy.gotemplate.function import Function
    from ensue.deploy.gotemplate.surroundings import RenderingServices

_OF_LISTS: Final = (
    *("append", "chunk", "compact", "first", "initial", "last", "prepend", "push", "rest", "reverse"),
    *("uniq", "without"),
)
_HOLDS: Final = frozenset(
    {
        *("coalesce", "concat", "deepCopy", "default", "dict", "kindOf", "keys", "len", "list", "merge"),
        *("mergeOverwrite", "mustDeepCopy", "mustMerge", "mustMergeOverwrite", "omit", "pick", "required"),
        *("set", "ternary", "tuple", "typeOf", "unset", "values"),
        *_OF_LISTS,
        *(f"must{name[0].upper()}{name[1:]}" for name in _OF_LISTS),
    }
)
"""The functions whose result consists of their arguments, with their marks, or says only a kind or length."""

_SELECTS: Final = frozenset({"dig", "get", "index", "mustSlice", "pluck", "slice"})
"""The functions that select from an argument: a secret one, or by a secret one."""

_KEEPS_TEXT: Final = frozenset(
    {
        *("cat", "indent", "join", "nindent", "print", "printf", "println", "toString"),
        *("trim", "trimAll", "trimPrefix", "trimSuffix", "trimall"),
    }
)
"""The functions that put texts one after another or change only their margins."""

_HIDDEN: Final = "it failed, and an argument is secret, so that the reason is not shown"


def result_with_secrets(
    name: str, called: Function, arguments: list[Any], services: RenderingServices
) -> Any:
    """Call a function and return its result, marked if it is secret.

    Args:
        name: the function's name.
        called: the function.
        arguments: its arguments.
        services: the time and the callbacks of the rendering.

    Raises:
        CallError: the function failed, or its result exceeds a limit.
    """
    call = partial(called.call, services) if called.needs_run else called.call
    try:
        result = checked_result(called, arguments, call(*arguments))
    except (ValueError, ArithmeticError) as error:
        failure = error if isinstance(error, CallError) else CallError(str(error))
        raise without_reason(failure, arguments) from None
    if name in _HOLDS:
        return result
    if name in _SELECTS:
        return secret(result) if any(isinstance(argument, Secret) for argument in arguments) else result
    if name in _KEEPS_TEXT:
        return computed_in_place(result, call, arguments)
    return computed(result, arguments)


def printed_secret(value: Any, text: str) -> str:
    """Return what a secret is printed as, marked.

    Args:
        value: the value.
        text: its text.
    """
    shown: str = computed(Written(text) if isinstance(value, (int, float)) else text, (value,))
    return shown


def without_reason(error: CallError, arguments: Sequence[Any]) -> CallError:
    """Return an error of a function without its message if that may quote a secret argument."""
    return CallError(_HIDDEN) if any(map(holds_secret, arguments)) else error
