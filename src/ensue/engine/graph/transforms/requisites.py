"""Rule: a chunk comes after what it requires, watches, binds to, or reacts to.

`listen` and `listen_in` make no edge: a listener is a separate chunk at the end of the run.
`prereq` has a module of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.requisite import RequisiteKind
from ensue.engine.graph.dag import Edge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.growth import Plan

WITHOUT_EDGE = frozenset({RequisiteKind.LISTEN, RequisiteKind.LISTEN_IN, RequisiteKind.PREREQ})
"""Kinds that this rule ignores."""


def requisite_edges(plan: Plan) -> Iterator[Edge]:
    """Yield an edge from every chunk that a requisite names to the chunk that has the requisite.

    Source: Salt's requisites.
    """
    for index, chunk in enumerate(plan.chunks):
        for requisite in chunk.requisites:
            if requisite.kind not in WITHOUT_EDGE:
                reason = requisite.kind.value
                for target in requisite.chunks:
                    yield Edge(target, index, reason)
