"""The error for a target expression that is refused."""

from __future__ import annotations

from typing import Final

from ensue.core.errors import EnsueError

UNPARSABLE: Final = "E0701"
UNKNOWN_TYPE: Final = "E0707"
UNKNOWN_NODEGROUP: Final = "E0708"
BAD_NODEGROUP: Final = "E0709"

_SHOWN_CHARS: Final = 120
_SHOWN_BEFORE_CHARS: Final = 80


class TargetSyntaxError(EnsueError, ValueError):
    """A target expression that does not parse, or names a type or nodegroup that does not exist.

    Args:
        expression: the whole expression.
        column: where the error is, from 1.
        problem: what is wrong.
        code: the code of the diagnostic.
    """

    def __init__(self, expression: str, column: int, problem: str, *, code: str = UNPARSABLE) -> None:
        self.expression = expression
        self.column = column
        self.problem = problem
        self.code = code
        super().__init__(f"target {_excerpt(expression, column)!r}, column {column}: {problem}")


def _excerpt(expression: str, column: int) -> str:
    """Return an expression for a message; of a long one only the part around a column."""
    if len(expression) <= _SHOWN_CHARS:
        return expression
    start = max(0, column - 1 - _SHOWN_BEFORE_CHARS)
    end = start + _SHOWN_CHARS
    return f"{'…' if start else ''}{expression[start:end]}{'…' if end < len(expression) else ''}"
