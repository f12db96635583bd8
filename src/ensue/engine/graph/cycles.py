"""Find cycles: the strongly connected components of a graph, and one short cycle in each.

Everything here is iterative, so a chain of a hundred thousand nodes does not exhaust the stack. Other
modules decide how a cycle is reported to a user.

Source: R. Tarjan, "Depth-first search and linear graph algorithms" (1972).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from ensue.core.errors import EnsueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.engine.graph.dag import Dag, Edge

SEARCH_FACTOR: Final = 16
"""The search for a shorter cycle visits at most this many times the component's edges, so it stays linear."""


class CycleError(EnsueError, ValueError):
    """A graph cannot be ordered because it contains a cycle.

    Args:
        cycles: one cycle per strongly connected component; each is a list of edges, the last of which leads
            back to the first.
    """

    def __init__(self, cycles: Sequence[Sequence[Edge]]) -> None:
        self.cycles = [list(cycle) for cycle in cycles]
        nodes = "; ".join(" -> ".join(str(edge.before) for edge in cycle) for cycle in cycles)
        super().__init__(f"cycle: {nodes}")


def find_cycles(graph: Dag) -> list[list[Edge]]:
    """Return one short cycle per strongly connected component, in order of each component's smallest node.

    In a small component it is the shortest cycle; in a large one it is the shortest of those through the
    first nodes that are searched.
    """
    cycles = [_short_cycle(graph, knot) for knot in knots(graph)]
    return sorted(cycles, key=lambda cycle: cycle[0].before)


def knots(graph: Dag) -> list[list[int]]:
    """Return the strongly connected components that hold a cycle, each sorted."""
    components = [sorted(component) for component in _components(graph)]
    return [nodes for nodes in components if len(nodes) > 1 or _points_at_itself(graph, nodes[0])]


def _points_at_itself(graph: Dag, node: int) -> bool:
    return any(edge.after == node for edge in graph.after(node))


def _components(graph: Dag) -> list[list[int]]:
    """Tarjan's algorithm; `work` replaces the recursion: a node and its next edge."""
    unseen = -1
    number = [unseen] * graph.count
    low = [0] * graph.count
    on_path = bytearray(graph.count)
    path: list[int] = []
    components: list[list[int]] = []
    next_number = 0
    for root in range(graph.count):
        if number[root] != unseen:
            continue
        work: list[tuple[int, int]] = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                number[node] = low[node] = next_number
                next_number += 1
                path.append(node)
                on_path[node] = 1
            edges = graph.after(node)
            if position:
                low[node] = min(low[node], low[edges[position - 1].after])
            while position < len(edges):
                child = edges[position].after
                position += 1
                if number[child] == unseen:
                    work += [(node, position), (child, 0)]
                    break
                if on_path[child]:
                    low[node] = min(low[node], number[child])
            else:
                if low[node] == number[node]:
                    components.append(_unwind(path, on_path, node))
    return components


def _unwind(path: list[int], on_path: bytearray, root: int) -> list[int]:
    component: list[int] = []
    while True:
        node = path.pop()
        on_path[node] = 0
        component.append(node)
        if node == root:
            return component


def _short_cycle(graph: Dag, knot: list[int]) -> list[Edge]:
    inside = frozenset(knot)
    budget = SEARCH_FACTOR * sum(len(graph.after(node)) for node in knot)
    best: list[Edge] = []
    for start in knot:
        cycle, looked_at = _cycle_through(graph, start, inside)
        if not best or len(cycle) < len(best):
            best = cycle
        budget -= looked_at
        if budget <= 0 or len(best) == 1:
            break
    return best


def _cycle_through(graph: Dag, start: int, inside: frozenset[int]) -> tuple[list[Edge], int]:
    """Search breadth-first from `start` back to itself; it is strongly connected, so a path exists."""
    reached_by: dict[int, Edge] = {}
    queue = deque([start])
    looked_at = 0
    while queue:
        for edge in graph.after(queue.popleft()):
            looked_at += 1
            if edge.after not in inside or edge.after in reached_by:
                continue
            reached_by[edge.after] = edge
            if edge.after == start:
                return _trace(reached_by, start), looked_at
            queue.append(edge.after)
    return [], looked_at


def _trace(reached_by: dict[int, Edge], start: int) -> list[Edge]:
    edges = [reached_by[start]]
    while edges[-1].before != start:
        edges.append(reached_by[edges[-1].before])
    return edges[::-1]
