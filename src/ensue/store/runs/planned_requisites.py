"""The requisites of a plan as edges, and as the event that a journal records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.events import ScopePlanned
from ensue.core.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.requisite import Requisite

_PREREQ: Final = RequisiteKind.PREREQ


def plan_edges(plan: Plan) -> Iterator[tuple[int, int, str]]:
    """Yield each requisite of a plan as (index of the earlier chunk, index of the later chunk, keyword)."""
    last: Requisite | None = None
    word = ""
    for place, chunk in enumerate(plan.chunks):
        for requisite in chunk.requisites:
            if requisite is not last:  # chunks with equal requisites share one object
                last, word = requisite, requisite.kind.value
            for other in requisite.chunks:
                yield (place, other, word) if requisite.kind is _PREREQ else (other, place, word)


def planned_event(plan: Plan) -> ScopePlanned | None:
    """Return the event that records a scope's requisites in a journal; None if there are none.

    Those on states of other minions are left out, because the journal of this run has no return of them.
    """
    edges = dict.fromkeys(plan_edges(plan))
    elsewhere = {place for place, chunk in enumerate(plan.chunks) if chunk.options.minion_state is not None}
    if elsewhere:
        edges = {edge: None for edge in edges if elsewhere.isdisjoint(edge[:2])}
    if not edges:
        return None
    places = {first for first, _, _ in edges}
    places.update([second for _, second, _ in edges])
    chunks = plan.chunks
    if len(places) == len(chunks):
        # As in a long chain or fan: every chunk has an edge, so the indices need no conversion.
        return ScopePlanned(plan.scope, tuple([chunk.tag for chunk in chunks]), tuple(edges))
    used = {place: at for at, place in enumerate(sorted(places))}
    return ScopePlanned(
        scope=plan.scope,
        tags=tuple([chunks[place].tag for place in used]),
        edges=tuple([(used[first], used[second], kind) for first, second, kind in edges]),
    )
