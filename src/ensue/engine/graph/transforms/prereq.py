"""Rule: a chunk with `prereq` runs before the other chunk, if that one would change something.

The other chunk is therefore checked first: it gets a second node, the check, which runs it in
test mode. The check waits for everything that the chunk itself waits for, except its own `prereq`
partners: it waits for their checks instead, so chains of `prereq` are checked from their
far end.

Source: Salt's `prereq`; measured in Salt 3008: the prereq'd state runs twice (test, then real).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.requisite import RequisiteKind
from ensue.engine.graph.dag import Edge
from ensue.engine.graph.transforms.requisites import WITHOUT_EDGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite


def checked_chunks(plan: Plan) -> list[int]:
    """Return the chunks that some other chunk has as `prereq`, in plan order."""
    checked: set[int] = set()
    last: Sequence[Requisite] = ()
    for chunk in plan.chunks:
        if chunk.requisites is not last:  # chunks with equal requisites share one object
            last = chunk.requisites
            checked.update(prerequired(chunk))
    return sorted(checked)


def prerequired(chunk: Chunk) -> Iterator[int]:
    """Yield the chunks that a chunk names under `prereq`."""
    for requisite in chunk.requisites:
        if requisite.kind is RequisiteKind.PREREQ:
            yield from requisite.chunks


def check_places(plan: Plan, checked: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield, for each checked chunk, the place that its check precedes, and its position among checks there.

    Args:
        plan: the plan; its chunks are in their order of execution.
        checked: chunks that have a check.
    """
    turns = {chunk: turn for turn, chunk in enumerate(plan.checks)}
    first = _first_requirers(plan) if len(turns) < len(checked) else {}
    for chunk in checked:
        yield plan.checks[chunk] if chunk in turns else first[chunk], turns.get(chunk, len(turns))


def _first_requirers(plan: Plan) -> dict[int, int]:
    first: dict[int, int] = {}
    for index, chunk in enumerate(plan.chunks):
        for target in prerequired(chunk):
            first.setdefault(target, index)
    return first


def prereq_edges(plan: Plan, check_of: Mapping[int, int]) -> Iterator[Edge]:
    """Yield the edges of checks.

    Args:
        plan: the plan.
        check_of: the node that checks a chunk, by the chunk's index.
    """
    if not check_of:
        return
    for index, chunk in enumerate(plan.chunks):
        for target in prerequired(chunk):
            yield Edge(check_of[target], index, "prereq")
            yield Edge(index, target, "prereq")
    for checked, check in check_of.items():
        for requisite in plan.chunks[checked].requisites:
            for target in requisite.chunks:
                if requisite.kind is RequisiteKind.PREREQ:
                    yield Edge(check_of[target], check, "prereq")
                elif requisite.kind not in WITHOUT_EDGE:
                    yield Edge(target, check, requisite.kind.value)
