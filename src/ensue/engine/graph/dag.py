"""Edges between numbered nodes, which can be followed in both directions.

A node is an index whose meaning only the caller knows. An edge says that one node comes before
another, and why. The graph may contain cycles: `cycles.py` finds them, `ordering.py` rejects them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Edge(NamedTuple):
    """One node comes before another.

    Args:
        before: the node that comes first.
        after: the node that waits for it.
        reason: why, in one word (`require`, `sequence`).
        weight: rank of the reason; see `ordering.earliest_dependent`.
    """

    before: int
    after: int
    reason: str = ""
    weight: int = 0


class Dag:
    """Nodes `0 … count-1` and their edges, in the order they were added; parallel edges are kept.

    Args:
        count: how many nodes there are.
        edges: the initial edges.
    """

    __slots__ = ("count", "edges", "incoming", "outgoing")

    def __init__(self, count: int, edges: Iterable[Edge] = ()) -> None:
        self.count = count
        self.edges: list[Edge] = []
        self.outgoing: dict[int, list[Edge]] = {}
        self.incoming: dict[int, list[Edge]] = {}
        for edge in edges:
            self.add(edge)

    def add(self, edge: Edge) -> None:
        """Add an edge.

        Raises:
            IndexError: one of its ends is no node of this graph.
        """
        before, after, *_ = edge
        if not (0 <= before < self.count and 0 <= after < self.count):
            raise IndexError(f"edge {before} -> {after} leaves the graph's {self.count} nodes")
        self.edges.append(edge)
        self.outgoing.setdefault(before, []).append(edge)
        self.incoming.setdefault(after, []).append(edge)

    def after(self, node: int) -> list[Edge]:
        """Return the edges that leave a node."""
        return self.outgoing.get(node, [])

    def before(self, node: int) -> list[Edge]:
        """Return the edges that enter a node."""
        return self.incoming.get(node, [])
