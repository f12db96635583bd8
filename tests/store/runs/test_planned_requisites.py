"""What a journal records of the requisites of a scope."""

from __future__ import annotations

from msgspec import structs
from tests.engine.harness import Row, plan_of

from ensue.store.runs.planned_requisites import planned_event


def test_a_plan_without_requisites_is_not_told_of() -> None:
    """Without requisites there is nothing to record."""
    assert planned_event(plan_of([Row("a"), Row("b")])) is None


def test_chunks_without_requisites_are_left_out() -> None:
    """Tags are those of chunks on either side of a requisite; edges name them by their places among these."""
    event = planned_event(plan_of([Row("x"), Row("a"), Row("y"), Row("b", require=["a"], watch=["a"])]))
    assert event is not None
    assert [tag.split("_|-")[1] for tag in event.tags] == ["a", "b"]
    assert sorted(event.edges) == [(0, 1, "require"), (0, 1, "watch")]


def test_a_plan_of_which_every_chunk_has_a_requisite_is_told_of_in_the_same_form() -> None:
    """The places among the tags are then those in the plan; a repeated requisite is recorded once."""
    plan = plan_of([Row("a"), Row("b", require=["a"]), Row("c", prereq=["b"], require=["a"])])
    doubled = structs.replace(plan.chunks[1], requisites=plan.chunks[1].requisites * 2)
    event = planned_event(structs.replace(plan, chunks=(plan.chunks[0], doubled, plan.chunks[2])))
    assert event is not None
    assert [tag.split("_|-")[1] for tag in event.tags] == ["a", "b", "c"]
    assert sorted(event.edges) == [(0, 1, "require"), (0, 2, "require"), (2, 1, "prereq")]
