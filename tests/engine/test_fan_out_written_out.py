"""A state that is fanned out returns what its chunks would return if each were declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.harness import CHANGES, Lab, Row
from tests.engine.test_fan_out import Inventory, lab_of, on
from tests.engine.test_random_graphs import KEYWORDS

from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.graph.cycles import CycleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.engine.outcome import EngineOutcome

TARGETS = [Srn("t", f"web-{number}") for number in range(4)]


def say(ctx: Any, name: str, says: dict[str, tuple[bool, bool]]) -> StateReturn:
    """Return what a state returns on a resource: its result, and whether it changes something."""
    result, changes = says[ctx.site.target.id]
    planned = None if ctx.site.test and changes else result
    return StateReturn(name=name, result=planned, changes=CHANGES if changes else {}, comment="called")


@st.composite
def plans(draw: Callable[[Any], Any]) -> list[tuple[Row, list[Srn]]]:
    """Return rows, each with the resources that it is fanned out to; none for a plain row."""
    ids = [f"s{place}" for place in range(draw(st.integers(1, 6)))]
    rows: list[tuple[Row, list[Srn]]] = []
    for place, id_ in enumerate(ids):
        targets = draw(st.sampled_from([[], TARGETS[:1], TARGETS[1:3], TARGETS]))
        outcomes = st.tuples(st.booleans(), st.booleans())
        says = {srn.id: draw(outcomes) for srn in [*targets, Srn("minion", "m")]}
        row = Row(id_, "say", {"says": says})
        for keyword in draw(st.lists(st.sampled_from(KEYWORDS), max_size=2, unique=True)):
            # A state with a `prereq` comes before what it names, with other requisites after it.
            if known := ids[place + 1 :] if keyword == "prereq" else ids[:place]:
                names = st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True)
                setattr(row, keyword, draw(names))
        rows.append((row, targets))
    return rows


def fanned(rows: list[tuple[Row, list[Srn]]]) -> list[Row]:
    """Return the rows with targets that match these resources."""
    return [
        _with_keywords(on(row.id, _glob(targets), "say"), row) if targets else row for row, targets in rows
    ]


def _glob(targets: list[Srn]) -> str:
    return f"web-[{''.join(srn.id[-1] for srn in targets)}]"


def _with_keywords(row: Row, like: Row, became: dict[str, list[str]] | None = None) -> Row:
    row.arguments = like.arguments
    for keyword in KEYWORDS:
        names = getattr(like, keyword)
        setattr(row, keyword, [id_ for name in names for id_ in (became or {}).get(name, [name])])
    return row


def written_out(rows: list[tuple[Row, list[Srn]]]) -> list[Row]:
    """Return a row for each resource, and requisites on all of them."""
    became = {row.id: [f"{srn.id} {row.id}" for srn in targets] or [row.id] for row, targets in rows}
    return [
        _with_keywords(Row(id_, "say", target=target), row, became)
        for row, targets in rows
        for id_, target in zip(became[row.id], targets or [None], strict=True)
    ]


def outline(outcome: EngineOutcome) -> dict[str, tuple[bool | None, bool, str]]:
    return {back.id: (back.result, bool(back.changes), back.comment) for back in outcome.returns.values()}


@given(plans(), st.booleans(), st.booleans())
def test_it_is_as_if_written_out(rows: list[tuple[Row, list[Srn]]], ordered: bool, test: bool) -> None:
    """Results, changes and comments are the same, in an apply and a plan, in order and without.

    Requisites that form a cycle do so either way.
    """
    options = {"ordered": ordered, "test": test}
    lab = lab_of(Inventory(known=list(TARGETS)), functions={"say": say})
    try:
        expected = Lab(functions={"say": say}).run(written_out(rows), **options)
    except CycleError:
        with pytest.raises(CycleError):
            lab.run(fanned(rows), **options)
        return
    assert outline(lab.run(fanned(rows), **options)) == outline(expected)
