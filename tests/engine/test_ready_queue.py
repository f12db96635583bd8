"""One task calls functions one after the other: what functions and callers can observe of that."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually, sleep

from ensue.core.model.chunk import StateOptions
from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.core.model.returns import StateReturn
from ensue.engine.engine import Engine
from ensue.engine.ready_queue import NODES_PER_TURN, ReadyQueue
from ensue.engine.services import EngineOptions

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent

MARK: ContextVar[str] = ContextVar("mark", default="")


def tasks_of(rows: list[Row]) -> list[asyncio.Task[Any] | None]:
    """Return the task in which each function was called, in order."""
    seen: list[asyncio.Task[Any] | None] = []

    async def noting(ctx: Any, name: str, **_: Any) -> StateReturn:
        seen.append(asyncio.current_task())
        return await sleep(ctx, name)

    Lab(functions={"noting": noting}).run(rows)
    return seen


def test_what_follows_is_called_in_the_same_task() -> None:
    """States that follow each other need one task."""
    first, *others = tasks_of([Row(name, "noting") for name in "abcd"])
    assert first is not None
    assert [task is first for task in others] == [True] * 3


def test_a_task_that_outlived_a_cancellation_does_not_go_on() -> None:
    """A cancellation that a function swallowed does not end a task group of the next one."""
    left: list[int] = []

    async def stubborn(_ctx: Any, name: str, **_: Any) -> StateReturn:
        task = asyncio.current_task()
        assert task is not None
        left.append(task.cancelling())
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(1)
        return StateReturn(name=name, result=True)

    done = Lab(functions={"stubborn": stubborn}).returns([Row("a", "stubborn"), Row("b", "stubborn")])
    assert left == [0, 0]
    assert [returned.result for returned in done.values()] == [True, True]


def test_what_runs_at_the_same_time_has_tasks_of_its_own() -> None:
    """Parallel states do not wait for one another."""
    together = StateOptions(parallel=True)
    assert len({*tasks_of([Row(name, "noting", options=together) for name in "abc"])}) == 3


def test_only_the_one_that_runs_is_ended() -> None:
    """Ending what runs leaves alone what the same task has done before."""

    async def work() -> Any:
        rows = [Row("a", "sleep", {"seconds": 1}), Row("b", "sleep", {"seconds": 10}), Row("c", "sleep")]
        run = asyncio.ensure_future(Lab().engine().run(plan_of(rows)))
        for _ in range(2):
            await asyncio.sleep(1.5)
            run.cancel()
        return await run

    outcome = run_virtually(work())
    done = by_id(outcome.returns)
    assert (done["a"].result, done["a"].comment) == (True, "slept 1")
    assert (done["b"].result, done["b"].comment.partition(";")[0]) == (
        False,
        "Cancelled while it was running",
    )
    assert [each.id for each in outcome.not_run] == ["c"]


def test_the_loop_turns_though_nobody_waits() -> None:
    """Functions that could wait and never do let the event loop run."""
    turns: list[int] = []

    async def eager(_ctx: Any, name: str, **_: Any) -> StateReturn:
        called.append(name)
        return StateReturn(name=name, result=True)

    async def watch() -> None:
        while len(called) < len(rows):
            turns.append(len(called))
            await asyncio.sleep(0)

    called: list[str] = []
    rows = [Row(str(number), "eager") for number in range(5 * NODES_PER_TURN)]

    async def work() -> None:
        watching = asyncio.ensure_future(watch())
        await Lab(functions={"eager": eager}).engine().run(plan_of(rows))
        await watching

    run_virtually(work())
    assert len(called) == len(rows)
    assert len({*turns}) >= 5


def test_a_fault_of_what_follows_ends_the_run() -> None:
    """When the second state's start cannot be reported, that is raised; the first return was reported."""
    events: list[RunEvent] = []

    def tell(event: RunEvent) -> None:
        if isinstance(event, NodeStarted) and event.id == "b":
            raise OSError("the disk is full")
        events.append(event)

    services = msgspec.structs.replace(Lab().services(), on_event=tell)
    rows = [Row(name, "sleep") for name in "abc"]
    with pytest.raises(OSError, match="the disk is full"):
        run_virtually(Engine(services, EngineOptions()).run(plan_of(rows)))
    assert [event.returned.id for event in events if isinstance(event, NodeFinished)] == ["a"]


def test_variables_of_the_run_are_there() -> None:
    """A function sees the context variables that the run was started with."""
    seen: list[str] = []

    async def looking(_ctx: Any, name: str, **_: Any) -> StateReturn:
        seen.append(MARK.get())
        return StateReturn(name=name, result=True)

    async def work() -> None:
        MARK.set("set")
        await Lab(functions={"looking": looking}).engine().run(plan_of([Row("a", "looking")]))

    run_virtually(work())
    assert seen == ["set"]


def test_variables_of_one_function_are_not_the_next_one_s() -> None:
    """What a function sets in a context variable is gone for the states that follow it."""
    seen: list[str] = []

    async def marking(_ctx: Any, name: str, **_: Any) -> StateReturn:
        seen.append(MARK.get())
        MARK.set(name)
        return StateReturn(name=name, result=True)

    Lab(functions={"marking": marking}).run([Row(name, "marking") for name in "abc"])
    assert seen == [""] * 3


def test_a_variable_of_the_run_is_set_back() -> None:
    """What a function makes of a variable that the run began with is gone for the states that follow it."""
    seen: list[str] = []

    async def marking(_ctx: Any, name: str, **_: Any) -> StateReturn:
        seen.append(MARK.get())
        MARK.set(name)
        return StateReturn(name=name, result=True)

    async def work() -> None:
        MARK.set("set")
        rows = [Row(name, "marking") for name in "abcd"]
        await Lab(functions={"marking": marking}).engine().run(plan_of(rows))

    run_virtually(work())
    assert seen == ["set"] * 4


def test_a_node_that_is_ready_before_the_run_begins_waits_for_it() -> None:
    """Nothing is scheduled without a group of tasks; with one, the queue is looked at once per turn."""
    looks: list[str] = []

    async def carry_out(_node: Any) -> None:
        looks.append("node")

    async def run() -> None:
        queue = ReadyQueue(carry_out, lambda: looks.append("idle"))
        queue.look_soon()
        await asyncio.sleep(0)
        assert looks == []
        async with asyncio.TaskGroup() as group:
            queue.begin(group)
            queue.look_soon()
            await asyncio.sleep(0)
            assert looks == ["idle"]

    run_virtually(run())
