"""Work that leads to further work of its kind, without a call within a call.

An SLS includes one that includes one, and so on: thousands of calls within each other would end at Python's
own limit.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")

Steps: TypeAlias = Generator["Steps[Any]", Any, Result]
"""Work: it yields what has to be done first, gets what that returned, and returns."""


def run_steps(steps: Steps[Result]) -> Result:
    """Do work and all that it leads to, in the order in which calls would have done it."""
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
