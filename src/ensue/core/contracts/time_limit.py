"""Waiting that does not count towards a time limit: a function that waits for its turn here is not slow.

Code that sets a limit declares it with `limited_by`; code that makes others wait does so in `not_counted`.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Generator


class TimeLimit(Protocol):
    """A limit that can be paused."""

    def pause(self) -> None:
        """Stop counting until `resume`."""
        ...

    def resume(self) -> None:
        """Continue to count."""
        ...


_current: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)


@contextmanager
def limited_by(limit: TimeLimit) -> Generator[None]:
    """Declare a limit to everything that is called in the `with` block."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def not_counted() -> Generator[None]:
    """Pause the caller's limit during the `with` block."""
    limit = _current.get()
    if limit is None:
        yield
        return
    limit.pause()
    try:
        yield
    finally:
        limit.resume()
