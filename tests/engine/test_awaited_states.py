"""States that wait for states of other scopes, which their plan names when they are about to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from tests.engine.harness import Lab, Row, plan_of, run_virtually

from ensue.core.contracts.growth import Awaited
from ensue.core.model.returns import StateReturn
from ensue.engine.plans.asked_growth import AskedGrowth
from ensue.engine.promise import Promise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.model.chunk import Chunk


async def grow(ctx: Any, name: str) -> StateReturn:
    """Grow a scope of the state's own name."""
    entry = await ctx.site.apply(AskedGrowth(ctx.site.target, (name,)))
    return StateReturn(name=name, result=entry.status == "done", comment=entry.comment)


class AwaitingLab(Lab):
    """A lab whose plans name, by ID, the states of any scopes that a state waits for."""

    awaits: Mapping[str, list[tuple[str, int]]]

    def awaited(self, chunk: Chunk) -> Iterable[Awaited]:
        return [Awaited(*arguments) for arguments in self.awaits.get(chunk.id, ())]

    async def expand(self, request: GrowthRequest) -> Plan:
        return msgspec.structs.replace(await super().expand(request), awaits=self.awaited)

    def order(self, rows: list[Row], **options: Any) -> list[str]:
        """Run rows, and return the IDs of all states in the order of their starts."""
        plan = msgspec.structs.replace(plan_of(rows), awaits=self.awaited)
        run_virtually(self.engine(**{"ordered": False, **options}).run(plan))
        ends = [event.returned for event in self.events if type(event).__name__ == "NodeFinished"]
        return [end.id for end in sorted(ends, key=lambda end: end.run_num)]


def lab(growth: Mapping[str, Any], awaits: Mapping[str, list[tuple[str, int]]]) -> AwaitingLab:
    made = AwaitingLab(functions={"grow": grow}, growth=growth)
    made.awaits = awaits
    return made


def test_a_state_waits_for_one_of_an_outer_scope() -> None:
    """It waits although nothing in its own plan comes before it."""
    order = lab({"a": [Row("in")]}, {"in": [("", 1)]}).order([Row("a", "grow"), Row("slow", "sleep")])
    assert order == ["a", "slow", "in"]


def test_a_state_waits_for_one_of_a_scope_beside() -> None:
    """A scope that was never opened, or has ended, is not waited for."""
    growth = {"a": [Row("first", "sleep")], "b": [Row("then")]}
    awaits = {"then": [("a/a", 0), ("nowhere", 3)]}
    assert lab(growth, awaits).order([Row("a", "grow"), Row("b", "grow")]) == ["a", "b", "first", "then"]


def test_waiting_states_hold_no_slot() -> None:
    """One slot is enough for a state, the scope that it grows, and what that waits for."""
    growth = {"a": [Row("in1"), Row("in2")]}
    awaits = {"in1": [("", 1)], "in2": [("", 1), ("a/a", 0)]}
    order = lab(growth, awaits).order([Row("a", "grow"), Row("slow", "sleep")], concurrency=1)
    assert order == ["a", "slow", "in1", "in2"]


def test_the_plan_is_asked_again() -> None:
    """What it names meanwhile is waited for, too."""
    made = lab({"a": [Row("in")]}, {})
    answers = iter([[("", 1)], [("", 2)]])

    def awaited(chunk: Chunk) -> Iterable[Awaited]:
        return [Awaited(*answer) for answer in next(answers, ())] if chunk.id == "in" else ()

    made.awaited = awaited  # type: ignore[method-assign] # the answers of this test
    slow = [Row("slow", "sleep"), Row("slower", "sleep", {"seconds": 3})]
    assert made.order([Row("a", "grow"), *slow]) == ["a", "slow", "slower", "in"]


def test_states_that_wait_for_each_other_fail_by_name() -> None:
    """One of them is refused, and the run goes on."""
    made = lab({"a": [Row("in")]}, {"in": [("", 1)]})
    made.order([Row("a", "grow"), Row("after", require=["a"])])
    comments = [event.returned.comment for event in made.events if type(event).__name__ == "NodeFinished"]
    assert any("This state waits for itself: a/a: in (test.nop)" in comment for comment in comments)


def test_what_stops_the_run_wakes_those_that_wait() -> None:
    """They do not run."""
    made = lab({"a": [Row("in")]}, {"in": [("", 1)]})
    assert made.order([Row("a", "grow"), Row("bad", "fail")], failhard=True) == ["a", "bad"]


def test_an_event_ends_the_wait() -> None:
    """Before the awaited state has ended; or the end of the state does, if it never happens."""
    for happens in (True, False):
        event: Promise[None] = Promise()

        def rows(_: GrowthRequest, event: Promise[None] = event, happens: bool = happens) -> list[Row]:
            if happens:
                event.resolve(None)
            return [Row("in", "sleep")]

        made = lab({"a": rows}, {})
        made.awaited = lambda chunk, event=event: [Awaited("", 0, event)] if chunk.id == "after" else []  # type: ignore[method-assign,misc] # the answers of this test
        made.order([Row("a", "grow"), Row("after")])
        finished = [end.returned.id for end in made.events if type(end).__name__ == "NodeFinished"]
        assert finished == (["after", "in", "a"] if happens else ["in", "a", "after"])
