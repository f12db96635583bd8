"""Waiting that does not count towards a time limit: what waits for its turn here is not slow itself.

Who sets the limit makes it known with `limited_by`; who lets others wait does so within `not_counted`.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Generator


class TimeLimit(Protocol):
    """A limit that can stand still."""

    def pause(self) -> None:
        """Let the time stand still until `resume`."""
        ...

    def resume(self) -> None:
        """Let it run again."""
        ...


_current: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)


@contextmanager
def limited_by(limit: TimeLimit) -> Generator[None]:
    """Make a limit known to everything that is called within."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def not_counted() -> Generator[None]:
    """Let the limit of whoever called stand still within."""
    limit = _current.get()
    if limit is None:
        yield
        return
    limit.pause()
    try:
        yield
    finally:
        limit.resume()
