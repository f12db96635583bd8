"""Work for a resource that is abandoned rather than wait for its grains."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ensue.core.errors import EnsueError
from ensue.core.model.srn import Srn
from ensue.language.targeting import NotKnownError
from ensue.language.targeting.unasked_grains import (
    lacks_pillar,
    refuse_pillar,
    refuse_to_wait,
    without_waiting,
)

WEB = Srn("minion", "web")
DB = Srn("minion", "db")


def rendered(srn: Srn) -> str:
    """Do work that needs the grains of a resource, and reports what keeps it from them as its own error."""
    try:
        refuse_to_wait(srn)
    except NotKnownError as error:
        raise EnsueError("a template could not be rendered") from error
    return "rendered"


def test_work_is_abandoned_that_would_wait() -> None:
    """Only what needs the grains of its own resource is abandoned; other work is done, or fails."""
    assert without_waiting(WEB, lambda: rendered(WEB)) is None
    assert without_waiting(WEB, lambda: rendered(DB)) == "rendered"
    assert without_waiting(DB, lambda: without_waiting(WEB, lambda: rendered(DB))) is None
    assert rendered(WEB) == "rendered"

    def wrong() -> None:
        raise EnsueError("wrong")

    with pytest.raises(EnsueError, match="wrong"):
        without_waiting(WEB, wrong)


def test_work_without_pillar_is_abandoned_when_it_reads_that() -> None:
    """Only the pillar of its own resource is refused to it, and only to an attempt that lacks it."""
    assert without_waiting(WEB, lambda: refuse_pillar(WEB) or "done", has_pillar=False) is None
    assert without_waiting(WEB, lambda: refuse_pillar(DB) or "done", has_pillar=False) == "done"
    assert without_waiting(WEB, lambda: refuse_pillar(WEB) or "done") == "done"
    assert without_waiting(WEB, lambda: lacks_pillar(DB) or "done", has_pillar=False) == "done"
    assert not lacks_pillar(WEB)


def test_work_goes_on_elsewhere_for_the_same_resource() -> None:
    """Of two threads that attempt the same, each abandons its own; one that may wait for the grains does."""
    begun, ended = threading.Barrier(3), threading.Barrier(3)

    def attempt(srn: Srn) -> str:
        begun.wait()
        try:
            return rendered(srn)
        finally:
            ended.wait()

    with ThreadPoolExecutor() as pool:
        attempts = [pool.submit(without_waiting, WEB, lambda: attempt(WEB)) for _ in range(2)]
        patient = pool.submit(attempt, WEB)
        assert [each.result() for each in attempts] == [None, None]
        assert patient.result() == "rendered"
