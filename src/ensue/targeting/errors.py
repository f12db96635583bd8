"""Why a target expression is refused."""

from __future__ import annotations

from typing import Final

from ensue.errors import EnsueError

UNPARSABLE: Final = "E0701"
UNKNOWN_TYPE: Final = "E0707"
UNKNOWN_NODEGROUP: Final = "E0708"
BAD_NODEGROUP: Final = "E0709"


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
        super().__init__(f"target {expression!r}, column {column}: {problem}")
