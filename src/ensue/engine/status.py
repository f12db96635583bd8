"""The status of a node. A closed union: every reader matches all of it.

```
Waiting -> Ready -> Running -> Growing -> Settled
   |         |         '------------------^
   |         '-> Settled      (the function is not called because of a requisite)
   '--------'--> NotRun       (the run or its scope was stopped first)
```
"""

from __future__ import annotations

from typing import Final, TypeAlias, assert_never

import msgspec


class Waiting(msgspec.Struct, frozen=True):
    """Since its scope was opened: something that it depends on has not settled."""


class Ready(msgspec.Struct, frozen=True):
    """Since the last dependency settled: it waits for its turn, a slot, or its target."""


class Running(msgspec.Struct, frozen=True):
    """Since its function was called, or its conditions were evaluated."""


class Growing(msgspec.Struct, frozen=True):
    """Since its function returned: its growth is being rendered and run."""


class Settled(msgspec.Struct, frozen=True):
    """It has its return, and all its growth has ended; dependents may start."""


class NotRun(msgspec.Struct, frozen=True):
    """It never started, because the run or its scope was stopped."""

    reason: str


NodeStatus: TypeAlias = Waiting | Ready | Running | Growing | Settled | NotRun

WAITING: Final = Waiting()
READY: Final = Ready()
RUNNING: Final = Running()
GROWING: Final = Growing()
SETTLED: Final = Settled()


def is_over(status: NodeStatus) -> bool:
    """Return whether nothing more will happen to a node."""
    match status:
        case Settled() | NotRun():
            return True
        case Waiting() | Ready() | Running() | Growing():
            return False
        case _ as never:
            assert_never(never)


def has_acted(status: NodeStatus) -> bool:
    """Return whether a node itself does nothing more, though its growth may still run."""
    match status:
        case Growing() | Settled() | NotRun():
            return True
        case Waiting() | Ready() | Running():
            return False
        case _ as never:
            assert_never(never)


def describe(status: NodeStatus) -> str:
    """Return the status of a node as words, for messages."""
    match status:
        case Waiting():
            return "waiting for what comes before it"
        case Ready():
            return "ready"
        case Running():
            return "running"
        case Growing():
            return "waiting for what it caused"
        case Settled():
            return "finished"
        case NotRun(reason):
            return f"not run ({reason})"
        case _ as never:
            assert_never(never)
