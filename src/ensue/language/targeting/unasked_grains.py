"""Abandon work that requires grains or pillar not yet known, so that no thread waits for a resource.

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

    def __init__(self, srn: Srn, outer: _Attempt | None, *, has_pillar: bool) -> None:
        self.srn = srn
        self.has_pillar = has_pillar
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


def lacks_pillar(srn: Srn) -> bool:
    """Return whether the current attempt for a resource does without its pillar."""
    return _attempt_without_pillar(srn) is not None


def refuse_pillar(srn: Srn) -> None:
    """Abandon the attempt for a resource if it does without the pillar; called when the pillar is read.

    Raises:
        NotKnownError: it does.
    """
    if (attempt := _attempt_without_pillar(srn)) is not None:
        attempt.has_missed = True
        raise NotKnownError


def _attempt_without_pillar(srn: Srn) -> _Attempt | None:
    attempt = _CURRENT.get()
    while attempt is not None and (attempt.srn != srn or attempt.has_pillar):
        attempt = attempt.outer
    return attempt


def without_waiting(srn: Srn, work: Callable[[], Result], *, has_pillar: bool = True) -> Result | None:
    """Return the result of work for a resource, None if it would have waited for the resource's grains.

    Args:
        srn: the resource.
        work: the work; it may be abandoned midway and repeated later.
        has_pillar: whether the work may read the resource's pillar; otherwise the result is None if it does.
    """
    attempt = _Attempt(srn, _CURRENT.get(), has_pillar=has_pillar)
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
