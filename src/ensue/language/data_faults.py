"""Turns a data bound error (see `model.data_bounds`) into a Diagnostic, whatever the data was read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.core.model.data_bounds import (
    CircularError,
    DataBoundError,
    TooDeepError,
    TooLongNumberError,
    check_data,
)

if TYPE_CHECKING:
    from ensue.core.diagnostics import Span

_FLATTER: Final = "nest it less deeply, or split it into several values"
_NO_CIRCLE: Final = "write the inner value out, or refer to it by name"
_SMALLER: Final = "write the values out if they are few, or generate them in a loop"


def bound_fault(error: DataBoundError, span: Span) -> CompileError:
    """Return the error for data beyond a bound.

    Args:
        error: the exception that refused it.
        span: where it is.
    """
    match error:
        case TooDeepError():
            code, summary, help_ = "E0215", "the nesting is too deep", _FLATTER
        case CircularError():
            code, summary, help_ = "E0216", "the data is circular", _NO_CIRCLE
        case TooLongNumberError():
            code, summary, help_ = "E0217", "an integer is too long", "write it as text, in quotes"
        case _:
            code, summary, help_ = "E0217", "the data expands to too many values", _SMALLER
    return CompileError([Diagnostic(code=code, summary=summary, detail=str(error), span=span, help=help_)])


def refuse_unbounded(data: Any, span: Span) -> None:
    """Refuse data of a program, which no reader has checked, if it exceeds a bound.

    Args:
        data: the data.
        span: where it comes from.

    Raises:
        CompileError: it exceeds a bound.
    """
    try:
        check_data(data)
    except DataBoundError as error:
        raise bound_fault(error, span) from None
