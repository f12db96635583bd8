"""Plans become graphs: which node waits for which, and in what order free nodes start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.engine.harness import Row, plan_of

from ensue.core.model.chunk import FanOut, StateOptions
from ensue.core.model.srn import Srn
from ensue.engine.graph.cycles import CycleError
from ensue.engine.graph.transforms.lower import Lowered, LoweringRules, lower

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOST = Srn("ssh_host", "new")


def lowered(
    rows: Iterable[Row], *, ordered: bool = False, checks: Mapping[int, int] | None = None
) -> Lowered:
    rules = LoweringRules(
        ordered=ordered,
        awaits=lambda chunk: HOST if chunk.id.startswith("user") else None,
        promises=lambda chunk: [HOST] if chunk.id.startswith("maker") else [],
        may_await=lambda chunk, srn: srn == HOST and chunk.id.endswith("t*"),
    )
    return lower(structs.replace(plan_of(rows), checks=checks or {}), rules)


def fanned(id_: str) -> Row:
    return Row(id_, options=StateOptions(fan_out=FanOut(expression=id_)))


def labels(rows: list[Row], graph: Lowered) -> list[str]:
    return [row.id for row in rows] + [f"check of {rows[index].id}" for index in graph.check_of]


def text(rows: list[Row], **options: Any) -> str:
    """Return a line per node, and an indented one per node that it waits for."""
    graph = lowered(rows, **options)
    names = labels(rows, graph)
    befores: list[list[str]] = [[] for _ in names]
    for node, afters in enumerate(graph.dependents):
        for after in afters:
            befores[after].append(f"  <- {names[node]}\n")
    return "".join(f"{name}\n{''.join(lines)}" for name, lines in zip(names, befores, strict=True))


def order(rows: list[Row], **options: Any) -> list[str]:
    graph = lowered(rows, **options)
    return [labels(rows, graph)[node] for node in graph.order]


def test_requisites_are_edges_and_listen_is_none() -> None:
    """A state waits for the states that it names; a listener waits for none."""
    rows = [Row("a"), Row("b", require=["a"], watch=["a"]), Row("c", listen=["a"])]
    assert text(rows) == "a\nb\n  <- a\n  <- a\nc\n"


def test_sequence_is_per_target() -> None:
    """In ordered mode each target has a sequence of its own; naming the plan's own target changes nothing."""
    rows = [Row("a"), Row("x", target=HOST), Row("b", target=Srn("minion", "m")), Row("y", target=HOST)]
    assert text(rows, ordered=True) == "a\nx\nb\n  <- a\ny\n  <- x\n"


def test_parallel_holds_up_nobody() -> None:
    """A parallel chunk and the chunk after it both wait for the chunk before them."""
    rows = [Row("a"), Row("p", options=StateOptions(parallel=True)), Row("b")]
    assert text(rows, ordered=True) == "a\np\n  <- a\nb\n  <- a\n"


def test_prereq_adds_a_check() -> None:
    """The check waits for what its chunk requires; the requirer for the check; the chunk for the requirer."""
    rows = [Row("r"), Row("a", prereq=["b"]), Row("b", require=["r"])]
    assert text(rows) == "r\na\n  <- check of b\nb\n  <- r\n  <- a\ncheck of b\n  <- r\n"


def test_checks_of_a_chain_start_at_its_far_end() -> None:
    """A check waits for the checks of what its chunk has under `prereq`."""
    rows = [Row("a", prereq=["b"]), Row("b", prereq=["c"]), Row("c")]
    assert order(rows) == ["check of c", "check of b", "a", "b", "c"]


def test_check_stands_where_the_plan_says() -> None:
    """A check starts before the chunk that the plan names; otherwise when it is needed."""
    rows = [Row("x"), Row("a", prereq=["b", "c"]), Row("b"), Row("c")]
    assert order(rows) == ["x", "check of b", "check of c", "a", "b", "c"]
    assert order(rows, checks={3: 0, 2: 1}) == ["check of c", "x", "check of b", "a", "b", "c"]
    assert order(rows, checks={3: 1}) == ["x", "check of c", "check of b", "a", "b", "c"]


def test_order_survives_what_stands_before_a_late_requisite() -> None:
    """A check that needs a chunk after the requirer moves the requirer, and keeps the meaning of the plan."""
    rows = [Row("a", prereq=["b"]), Row("r"), Row("b", require=["r"])]
    assert order(rows, ordered=True) == ["r", "check of b", "a", "b"]


def test_registration_moves_the_user_behind_the_maker() -> None:
    """A state that needs a resource comes right after the state that registers it."""
    assert order([Row("user"), Row("x"), Row("maker"), Row("y")]) == ["x", "maker", "user", "y"]


def test_registration_gives_way_in_a_circle() -> None:
    """A registration edge that closes a cycle is given up, and the chunk is marked with the cycle."""
    graph = lowered([Row("user"), Row("maker", require=["user"])])
    assert list(graph.order) == [0, 1]
    assert set(graph.self_waiting) == {0}
    assert set(graph.self_waiting[0]) == {0, 1}


def test_circle_of_requisites_is_refused() -> None:
    """A cycle without registration is no plan."""
    with pytest.raises(CycleError):
        lowered([Row("a", require=["b"]), Row("b", require=["a"])])


def test_plain_plans_keep_their_order_untouched() -> None:
    """Without checks and registrations nothing is sorted again."""
    assert lowered([Row("b"), Row("a", require=["b"])], ordered=True).order == range(2)


def test_a_target_that_may_match_waits_for_who_registers() -> None:
    """A fanned-out chunk follows all states that may register a match of its target, except itself."""
    rows = [fanned("t*"), Row("a"), Row("maker 1"), fanned("none"), Row("maker 2")]
    assert order(rows) == ["a", "maker 1", "none", "maker 2", "t*"]
    assert order([fanned("maker t*"), Row("maker")]) == ["maker", "maker t*"]


def test_a_target_that_may_match_gives_way_to_requisites() -> None:
    """A cycle through a possible match is allowed; certain edges in it are kept."""
    rows = [fanned("t*"), Row("maker", require=["t*"])]
    assert order(rows) == ["t*", "maker"]
    assert not lowered(rows).self_waiting
    both = [fanned("t*"), Row("user", require=["t*"]), Row("maker", require=["user"])]
    assert list(lowered(both).self_waiting) == [1]


def test_chunks_that_share_their_requisites_each_have_them() -> None:
    """Requisites that several chunks share as one object count for each of them."""
    plan = plan_of([Row("a"), Row("b", prereq=["a"]), Row("c"), Row("d")])
    shared = plan.chunks[1].requisites
    chunks = (*plan.chunks[:2], *(structs.replace(chunk, requisites=shared) for chunk in plan.chunks[2:]))
    rules = LoweringRules(ordered=True, awaits=lambda _: None, promises=lambda _: ())
    alike = lower(structs.replace(plan, chunks=chunks), rules)
    rows = [Row("a"), *(Row(id_, prereq=["a"]) for id_ in "bcd")]
    assert alike == lower(plan_of(rows), rules)


def test_a_row_of_chunks_that_share_their_requisites_needs_no_graph() -> None:
    """Many chunks that require the first one are in order already; one that requires a later one is not."""
    rules = LoweringRules(ordered=True, awaits=lambda _: None, promises=lambda _: ())
    plan = plan_of([Row("a"), *(Row(id_, require=["a"]) for id_ in "bcd")])
    shared = plan.chunks[1].requisites
    chunks = (plan.chunks[0], *(structs.replace(chunk, requisites=shared) for chunk in plan.chunks[1:]))
    assert lower(structs.replace(plan, chunks=chunks), rules).dependents == [(1,), (2,), (3,), ()]
    late = plan_of([Row("a", require=["c"]), Row("b"), Row("c")])
    assert list(lower(late, rules).order) == [1, 2, 0]


def test_a_chunk_that_requires_itself_is_refused() -> None:
    """It is a cycle of one."""
    with pytest.raises(CycleError):
        lowered([Row("a", require=["a"])])
