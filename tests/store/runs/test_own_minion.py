"""Which machine a recorded run ran on."""

from __future__ import annotations

from ensue.core.model.events import NodeStarted, RunStarted
from ensue.store.runs.own_minion import own_minion

ELSEWHERE = NodeStarted("t", "a", "test.nop", "", "minion:other", 0)


def test_the_run_says_it() -> None:
    """It is the minion of the run, on whatever targets its states ran."""
    started = RunStarted("r", False, 1, "", (), "web")
    assert own_minion([started, ELSEWHERE], "now") == "web"


def test_a_run_that_does_not_say() -> None:
    """A journal that does not say it, since its beginning is cut, counts as one of this machine."""
    assert own_minion([ELSEWHERE], "now") == "now"
    assert own_minion([], "now") == "now"
    assert own_minion([RunStarted("r", False, 1, "")], "now") == "now"
