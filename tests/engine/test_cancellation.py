"""Ctrl-C: the first waits for what is running, the second ends it; nothing is lost from the report."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually
from tests.engine.test_growth import apply_b, delayed

from ensue.core.model.chunk import Retry, StateOptions
from ensue.core.model.events import NodeFinished
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.services import EngineHooks


def interrupted(lab: Lab, rows: list[Row], *at_s: float, **options: Any) -> tuple[Any, float]:
    """Run rows, cancel at each of these moments, and return the outcome and when the run ended."""

    async def work() -> tuple[Any, float]:
        run = asyncio.ensure_future(lab.engine(**options).run(plan_of(rows)))
        now = 0.0
        for moment in at_s:
            await asyncio.sleep(moment - now)
            now = moment
            run.cancel()
        outcome = await run
        return outcome, asyncio.get_running_loop().time()

    return run_virtually(work())


def test_once_waits_for_what_is_running() -> None:
    """The running state ends with its own return; what follows is named as not run; exit code 130."""
    rows = [Row("a", "sleep", {"seconds": 10}), Row("b"), Row("c", require=["b"])]
    outcome, ended = interrupted(Lab(), rows, 1)
    assert (by_id(outcome.returns)["a"].result, ended) == (True, 10)
    assert [each.id for each in outcome.not_run] == ["b", "c"]
    assert {each.reason for each in outcome.not_run} == {"interrupted"}
    assert (outcome.status, outcome.exit_code) == ("interrupted", 130)


def test_twice_ends_what_is_running() -> None:
    """The running state is ended, and says that it was."""
    outcome, ended = interrupted(Lab(), [Row("a", "sleep", {"seconds": 10}), Row("b")], 1, 2)
    back = by_id(outcome.returns)["a"]
    assert (back.result, ended) == (False, 2)
    assert back.comment.startswith("Cancelled while it was running")


def test_before_anything_started() -> None:
    """A run that is cancelled at once runs nothing and reports everything."""
    outcome, _ = interrupted(Lab(), [Row("a", "sleep"), Row("b")], 0)
    assert {*by_id(outcome.returns), *(each.id for each in outcome.not_run)} == {"a", "b"}
    assert outcome.status == "interrupted"


def test_listeners_are_left_out() -> None:
    """After an interruption listeners do not fire; the report names them."""
    rows = [Row("l", listen=["c"]), Row("c", "change"), Row("s", "sleep")]
    outcome, _ = interrupted(Lab(), rows, 0.5)
    assert [each.id for each in outcome.not_run] == ["listener_l"]


def test_listeners_of_a_scope_that_was_ended_are_left_out() -> None:
    """Listeners run after failhard, but not in a scope that ended because its state took too long."""
    lab = Lab(
        functions={"apply": apply_b},
        growth={"b": [Row("l", listen=["c"]), Row("c", "change"), Row("s", "sleep", {"seconds": 100})]},
    )
    rows = [
        Row("a", "apply", options=StateOptions(timeout_s=5)),
        Row("f", "fail", require=["w"]),
        Row("w", "sleep"),
        Row("top", listen=["changed"]),
        Row("changed", "change"),
    ]
    outcome = lab.run(rows, ordered=False, failhard=True)
    assert by_id(outcome.returns)["a"].comment == "Timed out after 5 seconds"
    assert [str(left_out) for left_out in outcome.not_run] == ["a/b: listener_l (test.mod_watch)"]
    assert "listener_top" in by_id(outcome.returns)


def test_no_further_attempts() -> None:
    """Waiting for the next attempt ends at once; the result is that of the last attempt."""
    options = StateOptions(retry=Retry(attempts=5, interval_s=30.0))
    outcome, ended = interrupted(Lab(), [Row("a", "fail", options=options)], 10)
    back = by_id(outcome.returns)["a"]
    assert (back.result, back.comment, ended) == (False, "Failure!", 10)


def test_entries_not_come_to_are_named() -> None:
    """Delayed entries behind the running one are not rendered, and say why."""
    lab = Lab(growth={"x": [Row("x1", "sleep", {"seconds": 10}), Row("x2")], "y": [Row("y1")]})
    outcome, ended = interrupted(lab, [delayed("a", "x", "y")], 1)
    first, second = by_id(outcome.returns)["a"].delayed
    assert (first.status, first.comment, ended) == ("done", "1 state was not run: interrupted", 10)
    assert (second.status, "the run was stopped (interrupted)" in second.comment) == ("not_rendered", True)
    assert [str(each) for each in outcome.not_run] == ["a/x: x2 (test.nop)"]


def test_twice_keeps_what_a_scope_had_come_to() -> None:
    """Ending a scope in the middle loses none of its returns."""
    lab = Lab(growth={"x": [Row("x1"), Row("x2", "sleep", {"seconds": 10}), Row("x3")], "y": [Row("y1")]})
    outcome, ended = interrupted(lab, [delayed("a", "x", "y"), Row("b")], 1, 2)
    first, second = by_id(outcome.returns)["a"].delayed
    assert {back.id: back.result for back in first.returns.values()} == {"x1": True, "x2": False}
    assert second.status == "not_rendered"
    assert {each.id for each in outcome.not_run} == {"b", "x3"}
    assert ended == 2


def test_interrupted_apply_is_a_failure_for_its_function() -> None:
    """A function whose SLS was only partly run gets a failure, and reports one."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "sleep", {"seconds": 10}), Row("y")]})
    outcome, _ = interrupted(lab, [Row("a", "apply")], 1)
    back = by_id(outcome.returns)["a"]
    assert (back.result, back.comment) == (False, "1 state was not run: interrupted")


def test_functions_waiting_for_their_target_are_ended_too() -> None:
    """Ending a function that waits to have its target back does not leave the target taken."""
    lab = Lab(
        functions={"apply": apply_b},
        growth={"b": [Row("x", "sleep", {"seconds": 3})]},
    )
    first, second = Srn("t", "1"), Srn("t", "2")
    rows = [
        Row("a", "apply", {"target": second}, target=first),
        Row("b", "sleep", {"seconds": 9}, target=second),
    ]
    outcome, ended = interrupted(lab, rows, 1, 4)
    assert outcome.status == "interrupted"
    assert ended == 4


def test_a_function_that_takes_its_time_to_clean_up() -> None:
    """A function that is ended may still put things in order; the run waits for it."""

    async def careful(_ctx: Any, name: str) -> StateReturn:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(5)
        return StateReturn(name=name, result=True)

    outcome, ended = interrupted(Lab(functions={"careful": careful}), [Row("a", "careful")], 1, 2)
    assert (by_id(outcome.returns)["a"].result, ended) == (False, 7)


def test_record_that_cannot_be_written_at_the_end() -> None:
    """When even the return of an ended state cannot be written, the run breaks and does not hang."""

    class Full(list[Any]):
        def append(self, event: Any) -> None:
            if isinstance(event, NodeFinished):
                raise OSError(28, "No space left on device")

    lab = Lab(growth={"x": [Row("x1", "sleep", {"seconds": 9})]}, functions={"apply": apply_b})
    lab.events = Full()
    with pytest.raises(OSError, match="No space left"):
        interrupted(lab, [Row("a", "sleep", {"seconds": 10}), Row("b")], 1, 2)


def test_the_waiting_task_is_not_left_cancelled() -> None:
    """A cancellation is a request that is fulfilled: afterwards the caller can go on awaiting."""

    async def work() -> str:
        run = asyncio.ensure_future(_engine_then_sleep())
        await asyncio.sleep(1)
        run.cancel()
        return await run

    async def _engine_then_sleep() -> str:
        await Lab().engine().run(plan_of([Row("a", "sleep", {"seconds": 3})]))
        await asyncio.sleep(1)
        return "went on"

    assert run_virtually(work()) == "went on"


class SlowInputs:
    """Comparisons of what calls have read that take ten seconds, or that cancel themselves."""

    def __init__(self, *, ends_itself: bool = False) -> None:
        self._ends_itself = ends_itself

    def mark(self, *_: Any) -> tuple[list[str], str]:
        return ["file base salt://a"], "mark"

    async def are_same(self, *_: Any) -> bool:
        if self._ends_itself:
            raise asyncio.CancelledError
        await asyncio.sleep(10)
        return True


def _with_reading(inputs: SlowInputs) -> tuple[Lab, dict[tuple[str, str], Any]]:
    """Return a lab that compares like this, and what a run has done whose state read a file."""
    back = Lab().returns([Row("a")])["a"]
    done = msgspec.structs.replace(back, read=("file base salt://a",), read_mark="mark")
    return Lab(hooks=EngineHooks(inputs=inputs)), {back.identity: done}


def test_ended_while_what_was_read_is_compared() -> None:
    """A state whose comparison is ended has failed, and says so."""
    lab, done = _with_reading(SlowInputs())

    async def work() -> Any:
        run = asyncio.ensure_future(lab.engine().run(plan_of([Row("a")]), done))
        for _ in range(2):
            await asyncio.sleep(1)
            run.cancel()
        return await run

    back = by_id(run_virtually(work()).returns)["a"]
    assert back.result is False
    assert back.comment == "Cancelled while what it had read was compared with what is there now"


def test_a_comparison_that_cancels_itself() -> None:
    """A plug-in that raises what a cancellation raises fails its state; the run ends."""
    lab, done = _with_reading(SlowInputs(ends_itself=True))
    outcome = run_virtually(lab.engine().run(plan_of([Row("a")]), done))
    assert by_id(outcome.returns)["a"].result is False
