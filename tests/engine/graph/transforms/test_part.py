"""A part of a plan: exactly the chosen states and what they need, compared with a naive evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.engine.harness import MINION, Lab, Row, by_id, plan_of, run_virtually

from ensue.core.model.chunk import FanOut, StateOptions
from ensue.core.model.enforced import EnforcedState
from ensue.core.model.reference import Binding, BoundText, Reference
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.graph.cycles import CycleError
from ensue.engine.graph.transforms.lower import LoweringRules, lower
from ensue.engine.graph.transforms.part import PartChoice, PartRules, part_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk

HOST = Srn("ssh_host", "new")
ALL_NEEDED = ("require", "watch", "onfail_all")
ONE_NEEDED = ("require_any", "watch_any", "onchanges", "onchanges_any", "onfail", "onfail_any")
BACKWARDS = (*ALL_NEEDED, *ONE_NEEDED, "listen", "arg_bind")
TRIGGERS = ("onchanges", "onchanges_any", "listen")
HAVE_RUN = ("require", "watch", "require_any", "watch_any", "arg_bind")


class World:
    """Rows, and what the needs of states depend on beside their requisites.

    Args:
        rows: the plan; `maker` registers a host that `user` works on, and a row with a target may match it.
        enforced: the IDs of states with a value of an earlier apply.
        registered: whether the host is registered before the run.
    """

    def __init__(self, rows: list[Row], enforced: Collection[str] = (), *, registered: bool = False) -> None:
        self.rows = rows
        self.enforced = enforced
        self.registered = registered
        self.plan = structs.replace(plan_of(rows), chunks=tuple(map(bound, plan_of(rows).chunks)))
        self.rules = PartRules(
            awaits=self._awaits,
            promises=self._promises,
            may_await=lambda chunk, srn: srn == HOST and chunk.options.fan_out is not None,
            is_registered=lambda _: registered,
            enforced=lambda _, chunk: value_of(chunk) if chunk.id in enforced else None,
        )
        self.lowering = LoweringRules(
            ordered=True, awaits=self._awaits, promises=self._promises, may_await=self.rules.may_await
        )

    def part(self, chosen: Collection[str] | None, excluded: Collection[str] = ()) -> Plan:
        places = {row.id: place for place, row in enumerate(self.rows)}
        choice = PartChoice(
            chosen=None if chosen is None else {places[id_] for id_ in chosen},
            excluded={places[id_]: "excluded" for id_ in sorted(excluded)},
            rest="not chosen",
        )
        return part_of(self.plan, choice, self.rules)

    def naive(self, chosen: Collection[str] | None, excluded: Collection[str] = ()) -> list[str]:
        """Return the IDs of the part, by going over all rows until nothing is added any more."""
        left_out = set(excluded)
        while more := {row.id for row in self.rows if row.id not in left_out and self._lacks(row, left_out)}:
            left_out |= more
        ids = [row.id for row in self.rows]
        kept = set(ids if chosen is None else chosen) - left_out
        needs = {(needing, other) for row in self.rows for needing, other in self._needs(row)}
        while more := {other for needing, other in needs if needing in kept} - left_out - kept:
            kept |= more
        return [id_ for id_ in ids if id_ in kept]

    def _lacks(self, row: Row, left_out: Collection[str]) -> bool:
        lacks = any(set(getattr(row, word)) & set(left_out) for word in (*ALL_NEEDED, "prereq"))
        lacks |= any(getattr(row, word) and set(getattr(row, word)) <= set(left_out) for word in ONE_NEEDED)
        lacks |= any(producer in left_out and producer not in self.enforced for producer in row.arg_bind)
        lacks |= any(other.id in left_out and row.id in other.prereq for other in self.rows)
        makers = {other.id for other in self.rows if is_maker(other.id)}
        return lacks or (is_user(row.id) and not self.registered and bool(makers & set(left_out)))

    def _needs(self, row: Row) -> Iterator[tuple[str, str]]:
        for word in (*BACKWARDS, "prereq"):
            yield from ((row.id, other) for other in getattr(row, word) if word not in TRIGGERS)
        yield from ((other, row.id) for other in row.prereq)
        if is_user(row.id) or row.options.fan_out is not None:
            yield from ((row.id, other.id) for other in self.rows if is_maker(other.id) and other is not row)

    @staticmethod
    def _awaits(chunk: Chunk) -> Srn | None:
        return HOST if is_user(chunk.id) else None

    @staticmethod
    def _promises(chunk: Chunk) -> list[Srn]:
        return [HOST] if is_maker(chunk.id) else []


def is_maker(id_: str) -> bool:
    return id_.startswith("maker")


def is_user(id_: str) -> bool:
    return id_.startswith("user")


def reference(id_: str) -> Reference:
    return Reference(text=f"${{test:{id_}:x}}", path="test", id=id_, property="x", steps=("x",))


def bound(chunk: Chunk) -> Chunk:
    """Return a chunk with a text that reads each state that it is bound to."""
    producers = [
        other
        for requisite in chunk.requisites
        if requisite.kind.value == "arg_bind"
        for other in requisite.chunks
    ]
    if not producers:
        return chunk
    pieces = tuple(Binding(reference=reference(str(other)), producer=other) for other in producers)
    return structs.replace(chunk, bindings={"text": BoundText(pieces, ("x",))})


def value_of(chunk: Chunk, cut: tuple[tuple[str, ...], ...] = ()) -> EnforcedState:
    return EnforcedState(
        tag=chunk.tag, module="test", function="nop", id=chunk.id, name=chunk.id, sls="t", new_state={"x": 1},
        cut=cut,
    )  # fmt: skip


def ids(plan: Plan) -> list[str]:
    return [chunk.id for chunk in plan.chunks]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Return states that name earlier ones, and under `prereq` and `listen_in` later ones."""
    names = [
        f"{draw(st.sampled_from(['s', 's', 's', 'maker', 'user']))}{number}"
        for number in range(draw(st.integers(1, 9)))
    ]
    rows = []
    for place, name in enumerate(names):
        row = Row(name, draw(st.sampled_from(["seen", "changes", "fails"])))
        for words, others in ((BACKWARDS, names[:place]), (("prereq", "listen_in"), names[place + 1 :])):
            for word in draw(st.lists(st.sampled_from(words), max_size=2)) if others else ():
                setattr(
                    row, word, draw(st.lists(st.sampled_from(others), min_size=1, max_size=3, unique=True))
                )
        if draw(st.booleans()) and not is_user(name):
            row.options = StateOptions(fan_out=FanOut(expression="*"))
        rows.append(row)
    return World(rows, draw(st.sets(st.sampled_from(names))), registered=draw(st.booleans()))


@settings(max_examples=200)
@given(worlds(), st.data())
def test_a_part_is_what_was_chosen_and_all_that_it_needs(world: World, data: st.DataObject) -> None:
    """Exactly these states, in the order of the plan; each other state is excluded with a reason."""
    names = st.sets(st.sampled_from([row.id for row in world.rows]), max_size=3)
    chosen, excluded = data.draw(st.none() | names), data.draw(names)
    part = world.part(chosen, excluded)
    assert ids(part) == world.naive(chosen, excluded)
    left_out = [state.chunk.id for state in part.excluded]
    assert sorted([*ids(part), *left_out]) == sorted(row.id for row in world.rows)
    assert all(state.comment for state in part.excluded)
    for state in part.excluded:
        if state.is_dependent:
            assert state.comment.rpartition(" ")[2] in left_out


@given(worlds(), st.data())
def test_a_part_means_the_same_as_in_the_whole_plan(world: World, data: st.DataObject) -> None:
    """Requisites and references name the same states as before, and none that is excluded."""
    names = st.sets(st.sampled_from([row.id for row in world.rows]))
    part = world.part(data.draw(st.none() | names), data.draw(names))
    kept = set(ids(part))
    before = {chunk.id: chunk for chunk in world.plan.chunks}
    for chunk in part.chunks:
        now, whole = named(part, chunk), named(world.plan, before[chunk.id])
        assert [requisite for requisite in now if requisite[1]] == [
            (kind, left, any_)
            for kind, others, any_ in whole
            if (left := [other for other in others if other in kept])
        ]
        assert {kind for kind, others, _ in now if not others} <= {"onchanges", "listen"}
        for text, was in zip(pieces(chunk), pieces(before[chunk.id]), strict=True):
            assert was.producer is not None
            producer = world.plan.chunks[was.producer]
            if producer.id in kept:
                assert text.producer is not None
                assert part.chunks[text.producer] == part.chunks[ids(part).index(producer.id)]
            else:
                assert text.producer is None
                assert text.enforced == value_of(producer)


def named(plan: Plan, chunk: Chunk) -> list[tuple[str, list[str], bool]]:
    return [
        (requisite.kind.value, [plan.chunks[other].id for other in requisite.chunks], requisite.any)
        for requisite in chunk.requisites
    ]


def pieces(chunk: Chunk) -> list[Binding]:
    return [
        piece
        for text in (chunk.bindings or {}).values()
        for piece in text.pieces
        if isinstance(piece, Binding)
    ]


@settings(max_examples=60)
@given(worlds(), st.data())
def test_running_a_part_calls_no_other_state(world: World, data: st.DataObject) -> None:
    """Each state that is called comes after the states that it requires, which have returned."""
    try:
        lower(world.plan, world.lowering)
    except CycleError:
        assume(False)
    for row in world.rows:
        row.options = StateOptions()  # the engine of the tests has no targets
    world = World(world.rows, (), registered=world.registered)
    names = st.sets(st.sampled_from([row.id for row in world.rows]))
    part = world.part(data.draw(st.none() | names), data.draw(names))
    called: list[str] = []

    def seen(result: bool, changes: dict[str, Any]) -> Any:
        def function(_ctx: Any, name: str, **_: Any) -> StateReturn:
            called.append(name)
            return StateReturn(name=name, result=result, changes=changes)

        return function

    functions = {"seen": seen(True, {}), "changes": seen(True, {"a": 1}), "fails": seen(False, {})}
    outcome = run_virtually(Lab(functions=functions).engine().run(part))
    returns = by_id(outcome.returns)
    assert set(called) <= set(ids(part))
    required = {row.id: [other for word in HAVE_RUN for other in getattr(row, word)] for row in world.rows}
    for returned in returns.values():
        if returned.ran and returned.id in required:
            for other in required[returned.id]:
                if other in returns:
                    assert returns[other].run_num < returned.run_num
                else:
                    assert is_one_of_several(world, returned.id, other)


def is_one_of_several(world: World, id_: str, other: str) -> bool:
    """Return whether a state requires another one only as one of several, of which one is enough."""
    row = next(row for row in world.rows if row.id == id_)
    return not any(other in getattr(row, word) for word in ("require", "watch", "arg_bind"))


def test_a_whole_plan_stays_as_it_is() -> None:
    """It is the same object."""
    world = World([Row("a"), Row("b", require=["a"])])
    assert world.part(None) is world.plan
    assert world.part(["b"]) is world.plan


def test_states_with_equal_requisites_still_share_them() -> None:
    """Other rules compare them by identity, so that long plans stay fast."""
    plan = plan_of([Row("x"), Row("a"), *(Row(f"s{number}", require=["a"]) for number in range(3))])
    shared = plan.chunks[2].requisites
    plan = structs.replace(
        plan,
        chunks=tuple(
            structs.replace(chunk, requisites=shared) if chunk.requisites else chunk for chunk in plan.chunks
        ),
    )
    choice = PartChoice(chosen=None, excluded={0: "excluded"})
    part = part_of(plan, choice, World([]).rules)
    assert len({id(chunk.requisites) for chunk in part.chunks[1:]}) == 1


def test_a_value_that_was_cut_is_no_value() -> None:
    """A state that reads it is excluded with its producer."""
    world = World([Row("a"), Row("b", arg_bind=["a"])], ["a"])
    assert ids(world.part(None, ["a"])) == ["b"]
    cut = structs.replace(world.rules, enforced=lambda _, chunk: value_of(chunk, (("x",),)))
    part = part_of(world.plan, PartChoice(chosen=None, excluded={0: "excluded"}), cut)
    assert ids(part) == []


@pytest.mark.parametrize(("registered", "left"), [(False, []), (True, ["user"])])
def test_a_host_that_is_registered_already_is_a_target(*, registered: bool, left: list[str]) -> None:
    """The state that registers it is not needed; without either, what works on the host is excluded."""
    world = World([Row("maker"), Row("user")], registered=registered)
    assert ids(world.part(None, ["maker"])) == left
    assert ids(world.part(["user"])) == ["maker", "user"]


def test_checks_of_a_prereq_keep_their_places() -> None:
    """Each is before the same state, by its new index."""
    rows = [Row("x"), Row("stop", prereq=["deploy"]), Row("y"), Row("deploy")]
    world = World(rows)
    world.plan = structs.replace(world.plan, checks={3: 1})
    assert world.part(None, ["x", "y"]).checks == {1: 0}
    assert world.part(["y"]).checks == {}


def test_the_target_of_a_plan_stays() -> None:
    """Only its chunks are fewer."""
    part = World([Row("a"), Row("b")]).part(["a"])
    assert (part.target, part.scope, ids(part)) == (MINION, "", ["a"])
