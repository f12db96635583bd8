"""Abandon work that requires grains not yet gathered, so that no thread waits for a resource.

Pillar is compiled in threads, and its top file or a template may read the grains of the resource that it is
for. If threads waited for them, resources that do not answer would keep all others from being compiled.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeVar

from ensue.core.errors import EnsueError
from ensue.language.targeting import NotKnownError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.srn import Srn

Result = TypeVar("Result")


class _Attempt:
    """Work for a resource that does not wait for its grains, and whether it would have."""

    def __init__(self, srn: Srn, outer: _Attempt | None) -> None:
        self.srn = srn
        self.outer = outer
        self.has_missed = False


_CURRENT: Final[ContextVar[_Attempt | None]] = ContextVar("current", default=None)
"""The attempt of this thread: others may attempt the same for the same resource, or wait for its grains."""


def refuse_to_wait(srn: Srn) -> None:
    """Abandon the attempt for a resource; called when it would wait for grains.

    Raises:
        NotKnownError: there is an attempt.
    """
    attempt = _CURRENT.get()
    while attempt is not None:
        if attempt.srn == srn:
            attempt.has_missed = True
            raise NotKnownError
        attempt = attempt.outer


def without_waiting(srn: Srn, work: Callable[[], Result]) -> Result | None:
    """Return the result of work for a resource, None if it would have waited for the resource's grains.

    Args:
        srn: the resource.
        work: the work; it may be abandoned midway and repeated later.
    """
    attempt = _Attempt(srn, _CURRENT.get())
    token = _CURRENT.set(attempt)
    try:
        done = work()
    except (EnsueError, NotKnownError):
        if not attempt.has_missed:
            raise
        return None
    else:
        # A template may have caught the exception and continued.
        return None if attempt.has_missed else done
    finally:
        _CURRENT.reset(token)
