"""Topological order of a graph; among nodes that are ready, the smallest key comes first.

Generic: the keys are the caller's. `earliest_dependent` gives the first component that Salt's
compiler uses, so that a node moves forward when something that waits for it has a smaller order.

Source: Kahn's algorithm with a heap; the keys as measured in Salt 3008 (`salt/utils/requisite.py`).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from ensue.engine.graph.cycles import CycleError, find_cycles
from ensue.engine.graph.dag import Dag, Edge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def order_with_priorities(count: int, edges: Iterable[Edge], keys: Sequence[Any]) -> list[int]:
    """Return all nodes in topological order; among nodes that are ready, the smallest key comes first.

    Args:
        count: how many nodes there are.
        edges: the edges between them.
        keys: one comparable key per node (`(min(order, earliest dependent), order, name)` for Salt's
            order); nodes with equal keys go by number.

    Returns:
        Each node once.

    Raises:
        CycleError: there is no such order; carries one short cycle per strongly connected component.
    """
    graph = Dag(count, edges)
    waiting = [len(graph.before(node)) for node in range(count)]
    free = [(keys[node], node) for node in range(count) if not waiting[node]]
    heapq.heapify(free)
    ordered: list[int] = []
    while free:
        _, node = heapq.heappop(free)
        ordered.append(node)
        for edge in graph.after(node):
            waiting[edge.after] -= 1
            if not waiting[edge.after]:
                heapq.heappush(free, (keys[edge.after], edge.after))
    if len(ordered) != count:
        raise CycleError(find_cycles(graph))
    return ordered


def earliest_dependent(
    count: int, edges: Sequence[Edge], orders: Sequence[float], pulls: Sequence[float] | None = None
) -> list[float]:
    """Return for every node the smaller of its own order and the orders of what waits for it directly.

    An edge does not count if an earlier edge at the same node has a greater weight. Salt does the same:
    heavier requisites hide lighter ones that follow them.

    Args:
        count: how many nodes there are.
        edges: the edges, in the order they were declared.
        orders: each node's own order.
        pulls: per edge the order that its dependent pulls with, where that is not the dependent's own (Salt
            may read it before it applies `names` and negative orders).
    """
    if pulls is None:
        pulls = [orders[edge.after] for edge in edges]
    earliest = list(orders)
    heaviest = [-1] * count
    for edge, pull in zip(edges, pulls, strict=True):
        if edge.weight >= heaviest[edge.before]:
            heaviest[edge.before] = edge.weight
            earliest[edge.before] = min(earliest[edge.before], pull)
    return earliest
