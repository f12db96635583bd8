"""Which states, in a plan, a state waits for that only an apply carries out.

While a state that it requires is yet to change something, a state may read in a plan what it will not read in
the apply, or fail to read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from ensue.core.model.requisite import Requisite
    from ensue.engine.node import Node, Scope

_KINDS: Final = frozenset({
    RequisiteKind.REQUIRE, RequisiteKind.WATCH, RequisiteKind.ONCHANGES, RequisiteKind.ARG_BIND,
})  # fmt: skip
"""The requisites that name what is carried out before."""


def pending_states(node: Node) -> tuple[str, ...]:
    """Return the IDs of the states that would change something and that a node requires, also through others.

    Args:
        node: the node; everything that its requisites name is over.
    """
    scope = node.scope
    pending: dict[str, None] = {}
    seen: set[int] = set()
    waiting = list(_required(scope, node.chunk.requisites))
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        returned = scope.result_of(index)
        if returned is not None and returned.result is None:
            pending[returned.id] = None
        waiting += _required(scope, scope.nodes[index].chunk.requisites)
    return tuple(sorted(pending))


def _required(scope: Scope, requisites: tuple[Requisite, ...]) -> set[int]:
    """Return the chunks that requisites name; none of alternatives of which one needs no change."""
    required: set[int] = set()
    for requisite in requisites:
        if requisite.kind not in _KINDS:
            continue
        results = [returned.result for index in requisite.chunks if (returned := scope.result_of(index))]
        if not (requisite.any and True in results):
            required.update(requisite.chunks)
    return required
