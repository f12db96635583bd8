"""Which chunks of a plan react to changes of which others; nothing here knows a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.model.fan_out import parts_of
from ensue.core.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.returns import Return

_LISTEN: Final = RequisiteKind.LISTEN
_LISTEN_IN: Final = RequisiteKind.LISTEN_IN
_REACTING: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES, _LISTEN})


class Reaction(NamedTuple):
    """How a chunk of a scope reacts to changes of another one.

    Args:
        chunk: the chunk.
        number: its index in the plan; -1: the chosen part of the run leaves it out.
        kind: `watch`, `onchanges` or `listen`.
    """

    chunk: Chunk
    number: int
    kind: RequisiteKind


def reactions_in(plan: Plan) -> dict[int, list[Reaction]]:
    """Return the reactions in a plan, by the index of the chunk to whose changes they react."""
    reactions: dict[int, list[Reaction]] = {}

    def add(requisite: Requisite, chunk: Chunk, number: int) -> None:
        for other in requisite.chunks:
            if requisite.kind is _LISTEN_IN:
                reactions.setdefault(number, []).append(Reaction(plan.chunks[other], other, _LISTEN))
            elif requisite.kind in _REACTING:
                reactions.setdefault(other, []).append(Reaction(chunk, number, requisite.kind))

    for number, chunk in enumerate(plan.chunks):
        for requisite in chunk.requisites:
            add(requisite, chunk, number)
    for excluded in plan.excluded:
        for requisite in excluded.reactions:
            add(requisite, excluded.chunk, -1)
    return reactions


def has_changed(returned: Return) -> bool:
    """Return whether a state has changed something and has not failed, on any of its targets."""
    return any(part.changes and part.result is not False for part in parts_of(returned))
