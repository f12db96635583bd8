"""Where a node stands. A closed union: every reader matches all of it.

```
Waiting -> Ready -> Running -> Growing -> Settled
   |         |         '------------------^
   |         '-> Settled      (a requisite says that the function is not called)
   '--------'--> NotRun       (the run or its scope was stopped first)
```
"""

from __future__ import annotations

from typing import Final, TypeAlias, assert_never

import msgspec


class Waiting(msgspec.Struct, frozen=True):
    """Since its scope was opened: something that comes before it has not settled."""


class Ready(msgspec.Struct, frozen=True):
    """Since the last of those settled: it waits for its turn, a slot, or its target."""


class Running(msgspec.Struct, frozen=True):
    """Since its function was called, or its conditions were looked at."""


class Growing(msgspec.Struct, frozen=True):
    """Since its function returned: what it caused is being rendered and run."""


class Settled(msgspec.Struct, frozen=True):
    """It has its return, and so has all that it caused; what comes after it may start."""


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
    """Say whether nothing more will happen to a node."""
    match status:
        case Settled() | NotRun():
            return True
        case Waiting() | Ready() | Running() | Growing():
            return False
        case _ as never:
            assert_never(never)


def has_acted(status: NodeStatus) -> bool:
    """Say whether a node itself does nothing more, though what it caused may not be over."""
    match status:
        case Growing() | Settled() | NotRun():
            return True
        case Waiting() | Ready() | Running():
            return False
        case _ as never:
            assert_never(never)


def describe(status: NodeStatus) -> str:
    """Say in words where a node stands, for messages."""
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
