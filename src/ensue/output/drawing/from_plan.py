"""The drawing of what is known before a run: the plan, and the scopes that its states will render."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.output.drawing.drawing import DrawnEdge, DrawnState, ScopeBox
from ensue.store.runs.planned_requisites import plan_edges

if TYPE_CHECKING:
    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk


def draw_plan(plan: Plan, minion_id: str) -> ScopeBox:
    """Return the drawing of a compiled plan.

    Args:
        plan: the plan of the top scope.
        minion_id: the id of this machine.
    """
    return ScopeBox(
        kind="top",
        name=minion_id,
        scope=plan.scope,
        status="planned",
        nodes=[_node(number, chunk, plan) for number, chunk in enumerate(plan.chunks)],
        edges=[DrawnEdge(*edge) for edge in dict.fromkeys(plan_edges(plan))],
    )


def _node(number: int, chunk: Chunk, plan: Plan) -> DrawnState:
    return DrawnState(
        number=number,
        tag=chunk.tag,
        id=chunk.id,
        name=chunk.name,
        function=chunk.full_function,
        scope=plan.scope,
        target=_target(chunk, plan),
        status="planned",
        grown=[
            ScopeBox(kind=kind, name=name, scope=_below(plan.scope, chunk.id, name), status="planned")
            for kind, name in chunk.options.delayed_render
        ],
    )


def _target(chunk: Chunk, plan: Plan) -> str:
    """Return the target of a state, empty if it is that of the run; for a fan-out, its target expression."""
    if chunk.options.fan_out is not None:
        return chunk.options.fan_out.expression
    return "" if chunk.target in {None, plan.target} else str(chunk.target)


def _below(scope: str, caller: str, name: str) -> str:
    return "/".join(part for part in (scope, caller, name) if part)
