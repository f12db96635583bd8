"""Order, concurrency, targets, numbers and events of a run."""

from __future__ import annotations

import asyncio
import errno
import threading
from typing import Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually, starts

from ensue.core.contracts.functions import touches_nothing
from ensue.core.contracts.growth import Complaint
from ensue.core.errors import DiskError
from ensue.core.model.chunk import Retry, StateOptions
from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.graph.cycles import CycleError
from ensue.engine.services import EngineHooks
from ensue.testing.connection import FakeConnection

A, B = Srn("ssh_host", "a"), Srn("ssh_host", "b")


def spans(lab: Lab, rows: list[Row], **options: Any) -> tuple[dict[str, tuple[float, float]], Any]:
    """Run rows and return for each ID when it began and ended, in milliseconds."""
    outcome = lab.run(rows, **options)
    times = {}
    for back in outcome.returns.values():
        minutes, seconds = back.start_time.split(":")[1:]
        start = (int(minutes) * 60 + float(seconds)) * 1000
        times[back.id] = (start, start + back.duration_ms)
    return times, outcome


def test_ordered_runs_one_at_a_time_in_plan_order() -> None:
    """In ordered mode the states of one target follow each other, whatever could run concurrently."""
    times, _ = spans(Lab(), [Row("a", "sleep"), Row("b", "sleep"), Row("c", "sleep")])
    assert times == {"a": (0, 1000), "b": (1000, 2000), "c": (2000, 3000)}


def test_concurrent_runs_everything_at_once() -> None:
    """Without order only requisites hold a state back."""
    rows = [Row("a", "sleep"), Row("b", "sleep", require=["a"]), Row("c", "sleep")]
    times, _ = spans(Lab(), rows, ordered=False)
    assert times == {"a": (0, 1000), "b": (1000, 2000), "c": (0, 1000)}


def test_concurrency_limits_what_waits() -> None:
    """At most `concurrency` functions run at once; plain functions do not count."""
    rows = [Row(f"s{n}", "sleep") for n in range(6)] + [Row("plain")]
    times, _ = spans(Lab(), rows, ordered=False, concurrency=2)
    assert sorted(start for start, _ in times.values()) == [0, 0, 0, 1000, 1000, 2000, 2000]
    assert times["plain"] == (0, 0)


def test_targets_that_take_no_slot() -> None:
    """What runs on a target that takes no slot neither waits for one nor keeps another target from one."""
    rows = [Row(name, "sleep", target=A) for name in ("a1", "a2")]
    rows += [Row(name, "sleep", target=B) for name in ("b1", "b2")]
    lab = Lab(hooks=EngineHooks(takes_slot=lambda target: target == B))
    times, _ = spans(lab, rows, ordered=False, concurrency=1)
    assert times == {"a1": (0, 1000), "a2": (0, 1000), "b1": (0, 1000), "b2": (1000, 2000)}


def test_targets_run_beside_each_other() -> None:
    """Different targets are concurrent in ordered mode too, each in its own order."""
    rows = [Row("a1", "sleep", target=A), Row("a2", "sleep", target=A), Row("b1", "sleep", target=B)]
    times, _ = spans(Lab(), rows)
    assert times == {"a1": (0, 1000), "a2": (1000, 2000), "b1": (0, 1000)}


def test_parallel_states_hold_up_nobody() -> None:
    """What follows a `parallel` state starts at once; what requires it waits."""
    parallel = StateOptions(parallel=True)
    rows = [
        Row("first", "sleep"),
        Row("beside", "sleep", {"seconds": 5}, options=parallel),
        Row("next", "sleep"),
        Row("requirer", "sleep", require=["beside"]),
    ]
    times, outcome = spans(Lab(), rows)
    assert times["beside"] == (1000, 6000)
    assert times["next"] == (1000, 2000)
    assert times["requirer"] == (6000, 7000)
    assert starts(outcome) == ["first", "beside", "next", "requirer"]


def test_run_numbers_are_dense_in_order_of_start() -> None:
    """Skipped and failed states have numbers too, without gaps."""
    rows = [Row("a", "fail"), Row("b", require=["a"]), Row("c", watch=["d"]), Row("d", "change")]
    rows = [rows[0], rows[1], rows[3], rows[2]]
    outcome = Lab().run(rows)
    assert [(back.run_num, back.id) for back in outcome.returns.values()] == list(enumerate("abdc"))


def test_events_tell_start_and_finish() -> None:
    """A call starts and finishes; one that touches nothing, or that is not made, only finishes."""

    @touches_nothing
    def harmless(ctx: Any, name: str) -> StateReturn:  # noqa: ARG001 (every state function is given it)
        return StateReturn(name=name, result=True)

    lab = Lab(functions={"harmless": harmless})
    lab.run([Row("a", "sleep"), Row("b", "fail"), Row("c", require=["b"]), Row("d", "harmless")])
    events = [
        (type(event).__name__, event.id if isinstance(event, NodeStarted) else event.returned.id)
        for event in lab.events
        if isinstance(event, NodeStarted | NodeFinished)
    ]
    kinds = {id_: [kind for kind, other in events if other == id_] for id_ in "abcd"}
    both, finished = ["NodeStarted", "NodeFinished"], ["NodeFinished"]
    assert kinds == {"a": both, "b": both, "c": finished, "d": finished}


def test_failhard_leaves_out_the_rest() -> None:
    """After a failure with failhard nothing new starts; what was left out is named in plan order."""
    outcome = Lab().run([Row("a", "fail"), Row("b"), Row("c")], failhard=True)
    assert starts(outcome) == ["a"]
    assert [str(each) for each in outcome.not_run] == ["b (test.nop)", "c (test.nop)"]
    assert (outcome.status, outcome.exit_code) == ("failed", 2)


def test_failhard_lets_running_states_end() -> None:
    """What runs beside the failing state keeps its own return."""
    rows = [Row("slow", "sleep", target=A), Row("bad", "fail", target=B), Row("after", target=A)]
    outcome = Lab().run(rows, failhard=True)
    assert by_id(outcome.returns)["slow"].result is True
    assert [each.id for each in outcome.not_run] == ["after"]


def test_failhard_leaves_running_states_their_attempts() -> None:
    """A state that waits for its next attempt is tried again, at its time."""
    late = StateOptions(retry=Retry(attempts=2, interval_s=30.0))
    rows = [Row("w", "sleep"), Row("bad", "fail", require=["w"]), Row("again", "second", options=late)]
    results = iter([False, True])

    def second(_ctx: Any, name: str) -> StateReturn:
        return StateReturn(name=name, result=next(results))

    again = Lab(functions={"second": second}).returns(rows, ordered=False, failhard=True)["again"]
    assert (again.result, again.duration_ms) == (True, 30_000)


def test_own_failhard_outranks_the_run() -> None:
    """`failhard: false` on a state holds against the configuration, `true` without it."""
    soft = Row("a", "fail", options=StateOptions(failhard=False))
    hard = Row("a", "fail", options=StateOptions(failhard=True))
    assert starts(Lab().run([soft, Row("b")], failhard=True)) == ["a", "b"]
    assert starts(Lab().run([hard, Row("b")])) == ["a"]


def test_a_state_may_listen_to_the_one_that_checks_it() -> None:
    """The check waits for no listened state, since a listener runs at the end."""
    rows = [Row("a", "change", prereq=["b"]), Row("b", "change", listen=["a"])]
    assert starts(Lab().run(rows)) == ["a", "b", "listener_b"]


def test_what_a_check_decided_is_reported() -> None:
    """A prereq'd state that its check has decided has its return, also when that stops the run."""
    hard = Row("b", require=["r"], options=StateOptions(failhard=True))
    rows = [Row("r", "fail"), Row("a", prereq=["b"]), hard, Row("z")]
    outcome = Lab().run(rows)
    assert [(back.id, back.run_num) for back in outcome.returns.values()] == [("r", 0), ("b", 1)]
    assert [each.id for each in outcome.not_run] == ["a", "z"]


def test_failhard_means_nothing_in_a_plan() -> None:
    """As in Salt, test mode ignores failhard."""
    assert starts(Lab().run([Row("a", "fail"), Row("b")], failhard=True, test=True)) == ["a", "b"]


def test_handled_failure_does_not_fail_the_run() -> None:
    """With `onfail_stop: false`, an onfail state that succeeded handles the failure."""
    handler = Row("b", onfail=["a"], options=StateOptions(onfail_stop=False))
    assert Lab().run([Row("a", "fail"), handler]).exit_code == 0
    assert Lab().run([Row("a", "fail"), Row("b", onfail=["a"])]).exit_code == 2


def test_a_handled_failure_names_its_handler() -> None:
    """The returns of both name each other; one without a handler that succeeded names none."""
    option = StateOptions(onfail_stop=False)
    rows = [
        Row("a", "fail"),
        Row("b", onfail=["a"], options=option),
        Row("c", "fail"),
        Row("d", onfail=["c"]),
    ]
    a, b, c, d = Lab().run(rows).returns.values()
    assert (a.handled_by, b.handles) == ("b", (a.tag,))
    assert (c.handled_by, d.handles) == ("", ())
    first, failed = (
        Lab().run([Row("a", "fail"), Row("b", "fail", onfail=["a"], options=option)]).returns.values()
    )
    assert (first.handled_by, failed.handles) == ("", ())


def test_a_handler_that_failed_has_handled_nothing() -> None:
    """Where the `onfail` state failed itself, the failure that it was for fails the run.

    That the handler's own failure is handled does not change this.
    """
    option = StateOptions(onfail_stop=False)
    handler = Row("b", "fail", onfail=["a"], options=option)
    rows = [Row("a", "fail"), handler, Row("c", onfail=["b"], options=option)]
    assert Lab().run(rows).exit_code == 2


def test_blocking_functions_go_to_a_thread() -> None:
    """A project's own plain function that is marked blocking does not hold up the event loop."""
    threads: list[threading.Thread] = []

    def blocking(_ctx: Any, name: str) -> StateReturn:
        threads.append(threading.current_thread())
        return StateReturn(name=name, result=True)

    blocking.__ensue_blocking__ = True  # type: ignore[attr-defined] # the loader of plug-ins sets it
    assert Lab(functions={"blocking": blocking}).returns([Row("a", "blocking")])["a"].result is True
    assert threads != [threading.main_thread()]


def test_plain_function_may_return_an_awaitable() -> None:
    """A wrapper that is no coroutine function itself works, the first time and later."""

    async def later(name: str) -> StateReturn:
        await asyncio.sleep(1)
        return StateReturn(name=name, result=True, comment="later")

    def wrapped(_ctx: Any, name: str) -> Any:
        return later(name)

    returns = Lab(functions={"wrapped": wrapped}).returns([Row("a", "wrapped"), Row("b", "wrapped")])
    assert [back.comment for back in returns.values()] == ["later", "later"]
    assert [back.duration_ms for back in returns.values()] == [1000, 1000]


def test_empty_plan_succeeds() -> None:
    """Nothing to do is no failure."""
    outcome = Lab().run([])
    assert (outcome.returns, outcome.status) == ({}, "succeeded")


def test_cyclic_plan_is_refused() -> None:
    """A plan that forms a cycle runs nothing; the compiler lets none pass."""
    lab = Lab()
    with pytest.raises(CycleError):
        lab.run([Row("a", require=["b"]), Row("b", require=["a"])])
    assert not lab.events


def test_broken_sink_ends_the_run() -> None:
    """An event that cannot be written (a full disk under the journal) is not swallowed."""
    lab = Lab()
    rows = [Row("a", "sleep"), Row("b")]

    class Full(list[Any]):
        def append(self, event: Any) -> None:
            if isinstance(event, NodeFinished):
                raise OSError(28, "No space left on device")

    lab.events = Full()
    with pytest.raises(OSError, match="No space left"):
        lab.run(rows)


class Refusing(list[Any]):
    """Events of which one state's start cannot be recorded."""

    def append(self, event: Any) -> None:
        if isinstance(event, NodeStarted) and event.id == "b":
            raise DiskError("the journal cannot be written", errno.ENOSPC)
        super().append(event)


def test_what_is_not_recorded_does_not_start() -> None:
    """A state whose start is refused is not called, and neither is anything after it."""
    called: list[str] = []

    def noted(_ctx: Any, name: str) -> StateReturn:
        called.append(name)
        return StateReturn(name=name, result=True)

    lab = Lab(functions={"nop": noted})
    lab.events = Refusing()
    outcome = lab.run([Row("a"), Row("b"), Row("c")])
    assert called == ["a"]
    assert [left_out.id for left_out in outcome.not_run] == ["b", "c"]
    assert (outcome.status, outcome.exit_code, outcome.stopped) == (
        "failed",
        2,
        "the journal cannot be written",
    )


def test_a_state_that_finds_no_room_for_its_record_stops_the_run() -> None:
    """It has failed, and nothing else starts."""

    def full(_ctx: Any, name: str) -> StateReturn:
        raise DiskError(f"{name}: the store cannot be used", errno.ENOSPC)

    lab = Lab(functions={"full": full})
    outcome = lab.run([Row("a"), Row("b", "full"), Row("c", listen=["a"]), Row("d")])
    assert [returned.result for returned in outcome.returns.values()] == [True, False]
    assert [left_out.id for left_out in outcome.not_run] == ["c", "d"]
    assert outcome.stopped == "b: the store cannot be used"


def test_a_run_may_be_stopped_before_it_begins() -> None:
    """Then nothing of it is called."""
    lab = Lab()
    engine = lab.engine()
    engine.stop("no room")
    outcome = run_virtually(engine.run(plan_of([Row("a")])))
    assert (outcome.returns, outcome.stopped, len(outcome.not_run)) == ({}, "no room", 1)


def test_interrupted_earlier_run_is_taken_over() -> None:
    """Returns of an earlier run are taken over, and their states are not called again."""
    first = Lab().run([Row("a"), Row("b")])
    called: list[str] = []

    def noted(_ctx: Any, name: str) -> StateReturn:
        called.append(name)
        return StateReturn(name=name, result=True)

    lab = Lab(functions={"nop": noted})
    done = {back.identity: back for back in first.returns.values()}
    outcome = run_virtually(lab.engine().run(plan_of([Row("a"), Row("b"), Row("c", require=["b"])]), done))
    assert (starts(outcome), called) == (["a", "b", "c"], ["c"])


def test_long_chains_and_wide_fans() -> None:
    """A chain and a fan of 20,000 states run without recursion, and each state has its return."""
    chain = [Row(f"s{n}", require=[f"s{n - 1}"] if n else []) for n in range(20_000)]
    assert len(Lab().run(chain, ordered=False).returns) == 20_000
    fan = [Row("a", "change"), *(Row(f"s{n}", watch=["a"]) for n in range(20_000))]
    assert all(back.changes for back in Lab().run(fan).returns.values())


def test_errors_of_the_input_are_reported_although_the_run_stops() -> None:
    """The end of a scope comes after a failure with `failhard` too; states that have not begun do not run."""
    plan = plan_of([Row("a", "fail"), Row("b")])
    chunk = msgspec.structs.replace(plan.chunks[1], id="c")
    plan = msgspec.structs.replace(plan, complaints=(Complaint(chunk=chunk, comment="no such SLS"),))
    outcome = run_virtually(Lab().engine(failhard=True).run(plan))
    assert {back.id: (back.result, back.comment) for back in outcome.returns.values()} == {
        "a": (False, "Failure!"),
        "c": (False, "no such SLS"),
    }


@pytest.mark.parametrize("options", [StateOptions(unless=("false",)), StateOptions(retry=Retry())])
def test_a_function_that_touches_nothing_starts_with_what_is_around_it(options: StateOptions) -> None:
    """Its conditions may change something, and a retry takes time, so its start is an event."""

    @touches_nothing
    def harmless(_ctx: Any, name: str) -> StateReturn:
        return StateReturn(name=name, result=True)

    connection = FakeConnection()
    connection.on_run("false", returncode=1)
    lab = Lab(functions={"harmless": harmless}, connection=connection)
    lab.run([Row("a", "harmless"), Row("b", "harmless", options=options)])
    assert [event.id for event in lab.events if isinstance(event, NodeStarted)] == ["b"]
