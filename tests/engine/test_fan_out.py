"""Fan-out: the chunks of a state with a target, when its target is matched, and what follows."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, by_id, starts
from tests.engine.test_cancellation import interrupted
from tests.engine.test_growth import apply_b
from tests.engine.test_scheduler import spans

from ensue.core.errors import EnsueError, RemoteError, UnreachableError
from ensue.core.model.chunk import FanOut, StateOptions
from ensue.core.model.events import FannedOut
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.services import EngineHooks, Matched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.chunk import Chunk

WEB = [Srn("t", "web-1"), Srn("t", "web-2")]
NEW = Srn("t", "new-1")


@dataclass
class Inventory:
    """The resources of a test; a target is a glob of ids, and matching `!` is an error."""

    known: list[Srn] = field(default_factory=lambda: list(WEB))
    faults: Mapping[Srn, str] = field(default_factory=dict)
    takes_s: float = 0.0

    def may_match(self, expression: str, srn: Srn) -> bool:
        return fnmatchcase(srn.id, expression)

    async def is_registered(self, srn: Srn) -> bool:
        return srn in self.known

    async def matched(self, expression: str) -> Matched:
        if expression == "!":
            raise EnsueError("no target")
        if self.takes_s:
            await asyncio.sleep(self.takes_s)
        targets = tuple(sorted(srn for srn in self.known if self.may_match(expression, srn)))
        return Matched(targets=targets, faults=self.faults, nothing="nothing is there")

    def make(self, ctx: Any, name: str) -> StateReturn:
        """Register what `promises` says, as a state function."""
        if ctx.test:
            return StateReturn(name=name, result=None, changes={"made": True})
        self.known.append(NEW)
        return StateReturn(name=name, result=True, changes={"made": True})

    async def make_slowly(self, ctx: Any, name: str) -> StateReturn:
        """Register it after a second."""
        await asyncio.sleep(1)
        return self.make(ctx, name)


def promises(chunk: Chunk) -> list[Srn]:
    return [NEW] if chunk.function.startswith("make") else []


def exact(chunk: Chunk) -> Srn | None:
    fan_out = chunk.options.fan_out
    return NEW if fan_out is not None and fan_out.expression == NEW.id else None


def lab_of(inventory: Inventory | None = None, **more: Any) -> Lab:
    there = inventory or Inventory()
    functions = {"make": there.make, "make_slowly": there.make_slowly, **more.pop("functions", {})}
    may_register_any = more.pop("may_register_any", lambda _: True)
    hooks = EngineHooks(matcher=there, promises=promises, awaits=exact, may_register_any=may_register_any)
    return Lab(hooks=hooks, functions=functions, **more)


def on(id_: str, expression: str, fun: str = "nop", **more: Any) -> Row:
    """Return a row with a target; what is no field of a row is an option."""
    optional = more.pop("optional", False)
    options = {name: more.pop(name) for name in list(more) if name in StateOptions.__struct_fields__}
    fan_out = FanOut(expression=expression, optional=optional)
    return Row(id_, fun, options=StateOptions(fan_out=fan_out, **options), **more)


def test_chunks_run_beside_each_other_and_what_follows_waits() -> None:
    """Each resource has its own chunk at the same time; the next state starts when the slowest has ended."""
    times, _ = spans(lab_of(), [on("a", "web-*", "sleep"), Row("b", "sleep")])
    assert times == {"web-1 a": (0, 1000), "web-2 a": (0, 1000), "b": (1000, 2000)}


def test_concurrency_holds_for_chunks() -> None:
    """No more than the allowed number of chunks that wait run at once."""
    inventory = Inventory(known=[Srn("t", f"web-{n}") for n in range(6)])
    times, _ = spans(lab_of(inventory), [on("a", "web-*", "sleep")], concurrency=2)
    assert sorted(start for start, _ in times.values()) == [0, 0, 1000, 1000, 2000, 2000]


def test_one_state_at_a_time_on_a_resource() -> None:
    """In order two states on the same resource follow each other, unless the first is parallel."""
    rows = [on("a", "web-1", "sleep"), on("b", "web-*", "sleep")]
    assert spans(lab_of(), rows)[0]["web-1 b"] == (1000, 2000)
    assert spans(lab_of(), rows, ordered=False)[0]["web-1 b"] == (0, 1000)
    parallel = [on("a", "web-1", "sleep", parallel=True), on("b", "web-*", "sleep")]
    assert spans(lab_of(), parallel)[0]["web-1 b"] == (0, 1000)


def test_tags_targets_and_scope() -> None:
    """ID and name are prefixed in the tag, the function is called with the name alone, on the resource."""
    (returned,) = lab_of(Inventory(known=WEB[:1])).run([on("a", "*")]).returns.values()
    assert (returned.tag, returned.id) == ("test_|-web-1 a_|-web-1 a_|-nop", "web-1 a")
    assert (returned.name, returned.target, returned.scope) == ("a", "t:web-1", "")


def test_numbers_are_dense_over_chunks() -> None:
    """Chunks are numbered in order of start, together with everything else."""
    outcome = lab_of().run([Row("z"), on("a", "web-*"), Row("b")])
    assert starts(outcome) == ["z", "web-1 a", "web-2 a", "b"]
    assert [returned.run_num for returned in outcome.returns.values()] == [0, 1, 2, 3]


def test_what_a_chunk_became_is_told() -> None:
    """An event names the chunks of a fan-out before any of them runs; there is none when nothing matches."""
    lab = lab_of()
    lab.run([on("a", "web-*"), on("b", "none")])
    (event,) = [event for event in lab.events if isinstance(event, FannedOut)]
    assert lab.events.index(event) == 0
    assert event == FannedOut(
        scope="",
        tag_="test_|-a_|-a_|-nop",
        target="minion:m",
        tags=("test_|-web-1 a_|-web-1 a_|-nop", "test_|-web-2 a_|-web-2 a_|-nop"),
        targets=("t:web-1", "t:web-2"),
    )


def test_nothing_there() -> None:
    """Without a match the plain ID fails, or, when that is allowed, succeeds without having run."""
    outcome = lab_of().run([on("a", "none"), on("b", "none", optional=True), Row("c", require=["a"])])
    returns = by_id(outcome.returns)
    assert (returns["a"].result, returns["a"].comment) == (False, "nothing is there")
    assert (returns["b"].result, returns["b"].ran) == (True, False)
    assert returns["c"].comment == "One or more requisite failed: t.a"
    assert outcome.exit_code == 2


def test_a_target_that_cannot_be_looked_for_fails_its_state() -> None:
    """What the matcher raises is the state's failure; so is a run that has no matcher."""
    assert by_id(lab_of().run([on("a", "!")]).returns)["a"].comment == "no target"
    assert "nothing finds targets" in by_id(Lab().run([on("a", "x")]).returns)["a"].comment


def test_a_resource_with_a_fault_fails_alone() -> None:
    """A resource with a fault has a failed chunk; the function is not called there."""
    returns = by_id(lab_of(Inventory(faults={WEB[0]: "no pillar"})).run([on("a", "web-*")]).returns)
    assert (returns["web-1 a"].result, returns["web-1 a"].comment) == (False, "no pillar")
    assert returns["web-2 a"].result is True


def test_who_is_out_of_reach_names_its_source() -> None:
    """When a resource cannot be reached, the comment says where it came from."""

    def unreachable(_ctx: Any, name: str) -> StateReturn:
        raise UnreachableError(f"{name}: nobody there")

    async def described(error: RemoteError) -> str:
        return f"{error} (derived from vm:x)"

    lab = lab_of(functions={"unreachable": unreachable})
    lab.hooks = msgspec.structs.replace(lab.hooks, described=described)
    returns = by_id(lab.run([on("a", "web-*", "unreachable"), Row("b", "unreachable")]).returns)
    assert {returned.comment.partition(": ")[2] for returned in returns.values()} == {
        "nobody there (derived from vm:x)"
    }


@pytest.mark.parametrize("expression", ["new-1", "new-*"])
@pytest.mark.parametrize("ordered", [True, False])
def test_a_target_waits_for_who_registers_it(expression: str, ordered: bool) -> None:
    """A target that is or may be registered by a later state is matched after that state."""
    rows = [on("a", expression), Row("b"), Row("maker", "make_slowly")]
    returns = by_id(lab_of().run(rows, ordered=ordered).returns)
    assert returns["new-1 a"].start_time == "00:00:01"


def test_only_what_is_certain_is_a_circle() -> None:
    """A state that its resource's maker waits for fails by name; one that may match it runs without it."""
    rows = [on("a", "new-1"), on("b", "*"), Row("maker", "make", require=["b"], onfail=["a"])]
    returns = by_id(lab_of().run(rows).returns)
    assert returns["a"].comment.startswith("This state waits for itself: a (test.nop)")
    assert [id_ for id_ in returns if id_.endswith(" b")] == ["web-1 b", "web-2 b"]
    assert returns["maker"].result is True


def test_a_scope_waits_for_who_is_at_work_outside() -> None:
    """What grew waits for a state outside that is registering now, not for one that has not begun."""
    grown = {"b": [on("inner", "new-*", optional=True)]}
    lab = lab_of(functions={"apply": apply_b}, growth=grown)
    lab.run([Row("maker", "make_slowly", options=StateOptions(parallel=True)), Row("a", "apply")])
    assert "new-1 inner" in _inner_ids(lab)
    lab = lab_of(functions={"apply": apply_b}, growth=grown)
    outcome = lab.run([Row("a", "apply"), Row("maker", "make_slowly")])
    assert "inner" in _inner_ids(lab)
    assert by_id(outcome.returns)["maker"].result is True


def test_a_scope_needs_what_is_registered_outside() -> None:
    """An exact target waits for a state outside that will register it, if that does not wait for it."""
    grown = {"b": [on("inner", "new-1")]}
    lab = lab_of(functions={"apply": apply_b}, growth=grown)
    lab.run([Row("a", "apply"), Row("maker", "make_slowly")], ordered=False)
    assert "new-1 inner" in _inner_ids(lab)
    lab = lab_of(functions={"apply": apply_b}, growth=grown)
    outcome = lab.run([Row("a", "apply"), Row("maker", "make_slowly")])
    assert "waits for itself" in _inner_ids(lab)["inner"]
    assert by_id(outcome.returns)["maker"].result is True


def _inner_ids(lab: Lab) -> dict[str, str]:
    finished = [event.returned for event in lab.events if type(event).__name__ == "NodeFinished"]
    return {back.id: back.comment for back in finished if back.scope}


def test_in_a_plan_what_will_be_registered_is_none() -> None:
    """A resource that an earlier state would register has a chunk with the result None that names it."""
    rows = [Row("maker", "make"), on("a", "*"), on("b", "none"), on("c", "none", optional=True)]
    returns = by_id(lab_of().run(rows, test=True).returns)
    assert {id_: back.result for id_, back in returns.items()} == {
        "maker": None,
        "new-1 a": None,
        "web-1 a": True,
        "web-2 a": True,
        "b": None,
        "c": None,
    }
    assert returns["new-1 a"].comment.startswith("t:new-1 is not registered yet")
    assert "known after apply" in returns["b"].comment


def test_in_a_plan_what_no_state_before_may_register() -> None:
    """A target without a match fails if each pending state says what it registers."""
    rows = [Row("maker", "make"), on("b", "none"), on("c", "none", optional=True)]
    returns = by_id(lab_of(may_register_any=lambda _: False).run(rows, test=True).returns)
    assert (returns["b"].result, returns["c"].result) == (False, True)


def test_in_a_plan_what_nobody_registers_fails() -> None:
    """Where nothing would change before it, a target without a match fails in a plan as in an apply."""
    assert by_id(lab_of().run([Row("a"), on("b", "none")], test=True).returns)["b"].result is False


def test_in_a_plan_what_something_caused_may_register() -> None:
    """A state that would change something in a block of an earlier state may register, too."""
    caller = Row("a", options=StateOptions(delayed_render=(("block", "x"),)))
    lab = lab_of(growth={"x": [on("inner", "web-*", "change")]})
    assert by_id(lab.run([caller, on("b", "none")], test=True).returns)["b"].result is None


def test_failhard_leaves_out_what_has_not_begun() -> None:
    """A chunk that fails hard stops those that wait for their turn, and each is named."""
    outcome = lab_of().run([on("a", "web-*", "fail", failhard=True), on("b", "web-*")])
    assert list(by_id(outcome.returns)) == ["web-1 a"]
    assert [each.id for each in outcome.not_run] == ["web-2 a", "b"]


def test_an_interruption_while_a_target_is_looked_for() -> None:
    """The first one waits for the match and starts nothing; the second one ends the match."""
    outcome, ended = interrupted(lab_of(Inventory(takes_s=10)), [on("a", "web-*"), Row("b")], 1)
    assert ([each.id for each in outcome.not_run], ended) == (["web-1 a", "web-2 a", "b"], 10)
    outcome, ended = interrupted(lab_of(Inventory(takes_s=10)), [on("a", "web-*"), Row("b")], 1, 2)
    assert by_id(outcome.returns)["a"].comment == "Cancelled while its target was looked for"
    assert ([each.id for each in outcome.not_run], ended) == (["b"], 2)


def test_an_interruption_while_chunks_run() -> None:
    """The second one ends the chunks that run; each says so."""
    rows = [on("a", "web-*", "sleep", arguments={"seconds": 10})]
    outcome, ended = interrupted(lab_of(), rows, 1, 2)
    assert {back.id: back.comment[:29] for back in outcome.returns.values()} == {
        "web-1 a": "Cancelled while it was runnin",
        "web-2 a": "Cancelled while it was runnin",
    }
    assert ended == 2


def test_checks_find_their_own_resource() -> None:
    """A `prereq` checks the chunk of the same resource; a resource that was registered later has no check."""
    rows = [Row("maker", "make", prereq=["a"]), on("a", "*", "change")]
    outcome = lab_of().run(rows)
    assert starts(outcome) == ["maker", "new-1 a", "web-1 a", "web-2 a"]
    assert {back.result for back in outcome.returns.values()} == {True}


def test_a_check_that_matches_nothing_fails_who_asks() -> None:
    """A state that is to run before one without a resource fails; the latter says why."""
    returns = by_id(lab_of().run([Row("before", prereq=["a"]), on("a", "none", "change")]).returns)
    assert returns["before"].comment == "One or more requisite failed: t.a"
    assert (returns["a"].result, returns["a"].comment) == (False, "nothing is there")


def test_growth_of_a_chunk_is_its_own() -> None:
    """Each chunk renders its entries on its resource with its own return, and what follows waits."""
    lab = lab_of(growth={"x": [Row("x1", "sleep")]})
    outcome = lab.run([on("a", "web-*", delayed_render=(("block", "x"),)), Row("b")])
    assert [request.target for request in lab.requests] == WEB
    assert [request.scope for request in lab.requests] == ["web-1 a/x", "web-2 a/x"]
    assert by_id(outcome.returns)["b"].start_time == "00:00:01"


def test_what_a_fanned_maker_causes_uses_what_it_made() -> None:
    """A block of a chunk that registered does not wait for the end of the other chunks."""
    lab = lab_of(growth={"x": [on("inner", "new-1")]})
    rows = [on("maker", "web-*", "make", delayed_render=(("block", "x"),)), on("outer", "new-*")]
    outcome = lab.run(rows)
    assert [id_ for id_ in _inner_ids(lab) if id_ == "new-1 inner"]
    assert by_id(outcome.returns)["new-1 outer"].result is True
    assert outcome.exit_code == 0


def test_listeners_are_those_of_the_chunks() -> None:
    """A listener that is fanned out is called on each resource, and nowhere if nothing matches."""
    rows = [on("a", "web-*", listen=["c"]), on("n", "none", optional=True, listen=["c"]), Row("c", "change")]
    outcome = lab_of().run(rows)
    assert starts(outcome)[-2:] == ["listener_web-1 a", "listener_web-2 a"]
    assert len(outcome.returns) == 6


def test_a_thousand_chunks_cost_what_they_are() -> None:
    """Ten times the resources make ten times the nodes, and at most two events per chunk."""
    inventory = Inventory(known=[Srn("t", f"web-{n:04}") for n in range(1000)])
    lab = lab_of(inventory)
    outcome = lab.run([on("a", "*"), Row("b", require=["a"])])
    assert len(outcome.returns) == 1001
    assert len(lab.events) <= 2 * 1001 + 1
