"""Random plans that grow, fail, retry and are cancelled, against the reference evaluator."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.harness import CHANGES, Lab, Row, plan_of, run_virtually
from tests.engine.reference import Step, evaluate

from ensue.core.model.chunk import Retry, StateOptions
from ensue.core.model.events import NodeStarted
from ensue.core.model.returns import Return, StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.plans.asked_growth import AskedGrowth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TARGETS = [None, Srn("ssh_host", "a"), Srn("ssh_host", "b")]
KEYWORDS = [
    "require",
    "require_any",
    "watch",
    "watch_any",
    "onchanges",
    "onchanges_any",
    "onfail",
    "onfail_all",
    "listen",
    "prereq",
]
COMMENTS = {
    "No changes detected": "pre",
    "State was not run because onfail req did not change": "onfail",
    "State was not run because none of the onchanges reqs changed": "onchanges",
}


class World:
    """One random plan: steps for the reference, rows for the engine, and what was seen while it ran."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.blocks: dict[str, list[Step]] = {}
        self.targets: dict[int, Srn | None] = {}
        self.durations: dict[int, float] = {}
        self.inline: dict[int, bool] = {}
        self.attempts: Counter[tuple[str, str]] = Counter()
        self.busy: Counter[Srn] = Counter()
        self.most_on_one_target = 0
        self.most_at_once = 0

    def rows(self, steps: list[Step]) -> list[Row]:
        return [self._row(step) for step in steps]

    def _row(self, step: Step) -> Row:
        options = StateOptions(
            retry=Retry(attempts=len(step.says), interval_s=5.0) if step.retries else None,
            delayed_render=tuple(("block", name) for name in step.delayed),
        )
        row = Row(
            step.id,
            "inline" if self.inline[id(step)] and not step.applies else "waits",
            {"step": step},
            options=options,
            target=self.targets[id(step)],
        )
        for keyword, requisite in step.requisites.items():
            setattr(row, keyword, requisite)
        return row

    def lab(self) -> Lab:
        growth = {name: (lambda _, steps=steps: self.rows(steps)) for name, steps in self.blocks.items()}
        growth |= {f"on-{name}": rows for name, rows in growth.items()}
        return Lab(
            functions={"inline": self._inline, "waits": self._waits}, growth=growth, watches={"test": _watch}
        )

    def _inline(self, ctx: Any, name: str, step: Step) -> StateReturn:
        assert not self.busy[ctx.site.target] or not self.ordered
        return self._say(ctx, name, step)

    async def _waits(self, ctx: Any, name: str, step: Step) -> StateReturn:
        if step.applies:
            entry = await ctx.site.apply(AskedGrowth(ctx.site.target, (f"on-{step.applies}",)))
            if entry.status != "done" or any(back.result is False for back in entry.returns.values()):
                return StateReturn(name=name, result=False, comment="applied")
        self.busy[ctx.site.target] += 1
        self.most_on_one_target = max(self.most_on_one_target, *self.busy.values())
        self.most_at_once = max(self.most_at_once, self.busy.total())
        try:
            await asyncio.sleep(self.durations[id(step)])
        finally:
            self.busy[ctx.site.target] -= 1
        return self._say(ctx, name, step)

    def _say(self, ctx: Any, name: str, step: Step) -> StateReturn:
        key = (ctx.site.plan.scope, name)
        attempt = 0 if ctx.test else self.attempts[key]
        self.attempts[key] += not ctx.test
        result, changes = step.says[attempt % len(step.says)]
        planned = None if ctx.test and changes else result
        return StateReturn(name=name, result=planned, changes=CHANGES if changes else {}, comment="called")

    ordered = True


def _watch(_ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=True, changes=CHANGES, comment="watched")


@st.composite
def worlds(draw: Callable[[Any], Any]) -> World:
    world = World()
    names: list[str] = []
    for depth in range(draw(st.integers(0, 2))):
        world.blocks[f"b{depth}"] = _steps(draw, world, names, applies=True)
        names.append(f"b{depth}")
    world.steps = _steps(draw, world, names, applies=True)
    return world


def _steps(draw: Callable[[Any], Any], world: World, names: list[str], *, applies: bool) -> list[Step]:
    steps: list[Step] = []
    for place in range(draw(st.integers(0, 7))):
        step = Step(
            f"s{place}", says=draw(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=3))
        )
        step.retries = draw(st.integers(0, 3)) == 0
        if names and draw(st.booleans()):
            step.delayed = draw(st.lists(st.sampled_from(names), max_size=2))
        if names and applies and draw(st.integers(0, 3)) == 0:
            step.applies = draw(st.sampled_from(names))
            step.retries = False
        for keyword in draw(st.lists(st.sampled_from(KEYWORDS), max_size=2, unique=True)):
            if keyword == "prereq":
                continue
            ids = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True))
            if ids := [f"s{each}" for each in ids if each < place]:
                step.requisites[keyword] = ids
        world.targets[id(step)] = draw(st.sampled_from(TARGETS))
        world.durations[id(step)] = draw(st.sampled_from([0.0, 1.0, 2.0, 7.0]))
        world.inline[id(step)] = draw(st.booleans())
        steps.append(step)
    _prereqs(draw, steps)
    return steps


def _prereqs(draw: Callable[[Any], Any], steps: list[Step]) -> None:
    """The last state may be prepared by the one before it; nothing else may ask for either."""
    if len(steps) >= 2 and draw(st.booleans()):
        steps[-2].requisites["prereq"] = [steps[-1].id]
        for keyword, ids in list(steps[-1].requisites.items()):
            steps[-1].requisites[keyword] = [each for each in ids if each != steps[-2].id]
            if not steps[-1].requisites[keyword]:
                del steps[-1].requisites[keyword]
        steps[-1].applies = ""


def collected(returns: Mapping[str, Return]) -> dict[tuple[str, str], tuple[object, bool, str]]:
    outcomes: dict[tuple[str, str], tuple[object, bool, str]] = {}
    for back in every_return(returns):
        outcomes[back.scope, back.id] = (back.result, bool(back.changes), _kind(back.comment))
    return outcomes


def every_return(returns: Mapping[str, Return]) -> Iterator[Return]:
    for back in returns.values():
        yield back
        for entry in [*back.delayed, *back.applied]:
            yield from every_return(entry.returns)


def _kind(comment: str) -> str:
    if comment.startswith("One or more requisite failed"):
        return "fail"
    if comment.startswith("reacts if "):
        return "may react"
    if comment.startswith("runs only if "):
        return "may fail"
    if comment.startswith("runs if "):
        return (
            "may prepare" if comment.endswith("would change something (known after apply)") else "may change"
        )
    return COMMENTS.get(comment, comment.splitlines()[-1].split("  The state would be")[0])


@settings(max_examples=300, deadline=None)
@given(world=worlds(), test=st.booleans(), ordered=st.booleans(), concurrency=st.integers(1, 3))
def test_same_as_reference(world: World, *, test: bool, ordered: bool, concurrency: int) -> None:
    """In every mode each state of each scope has the same outcome as when all run one after the other."""
    world.ordered = ordered
    lab = world.lab()
    outcome = lab.run(world.rows(world.steps), test=test, ordered=ordered, concurrency=concurrency)
    assert collected(outcome.returns) == evaluate(world.steps, world.blocks, test=test)
    assert not outcome.not_run
    numbers = sorted(back.run_num for back in every_return(outcome.returns))
    assert numbers == list(range(len(numbers)))
    assert world.most_at_once <= concurrency
    assert world.most_on_one_target <= 1 or not ordered
    failed = any(back.result is False for back in every_return(outcome.returns))
    assert outcome.status == ("failed" if failed else "succeeded")


@settings(max_examples=200, deadline=None)
@given(
    world=worlds(),
    ordered=st.booleans(),
    at=st.sampled_from([0.0, 0.5, 1.0, 3.5, 6.0, 11.0]),
    again=st.sampled_from([None, 0.0, 0.5, 4.0]),
)
def test_cancellation_loses_nothing(world: World, *, ordered: bool, at: float, again: float | None) -> None:
    """However a run is cancelled, it ends, and every chunk of the top scope has a return or was not run."""
    world.ordered = ordered
    lab = world.lab()

    async def cancelled() -> Any:
        run = asyncio.ensure_future(
            lab.engine(ordered=ordered, concurrency=2).run(plan_of(world.rows(world.steps)))
        )
        await asyncio.sleep(at)
        run.cancel()
        await asyncio.sleep(0)
        started_before = sum(isinstance(event, NodeStarted) for event in lab.events)
        if again is not None:
            await asyncio.sleep(again)
            run.cancel()
        return await run, started_before

    outcome, started_before = run_virtually(cancelled())
    tags = {back.tag for back in outcome.returns.values() if not back.id.startswith("listener_")}
    left_out = {
        each.tag for each in outcome.not_run if not each.scope and not each.id.startswith("listener_")
    }
    assert not tags & left_out
    assert tags | left_out == {chunk.tag for chunk in plan_of(world.rows(world.steps)).chunks}
    if outcome.status == "interrupted":
        assert sum(isinstance(event, NodeStarted) for event in lab.events) == started_before
    else:
        assert not outcome.not_run
    assert not world.busy.total()
