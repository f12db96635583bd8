"""Runs work that leads to more work of its kind, without nested calls.

An SLS includes one that includes another, and so on. With thousands of them, nested calls would reach
Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")

Steps: TypeAlias = Generator["Steps[Any]", Any, Result]
"""Work: it yields work to be done first, is sent the result, and returns its own."""


def run_steps(steps: Steps[Result]) -> Result:
    """Do work and all that it leads to, in the order of nested calls."""
    open_: list[Steps[Any]] = [steps]
    returned: Any = None
    while open_:
        try:
            following = open_[-1].send(returned)
        except StopIteration as ended:
            open_.pop()
            returned = ended.value
        else:
            open_.append(following)
            returned = None
    result: Result = returned
    return result
