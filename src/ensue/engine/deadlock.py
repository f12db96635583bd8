"""Deadlocks: when nothing can go on, a node that waits for itself is found and fails by name.

Within one plan, a cycle is found when the plan is lowered. Between scopes it can arise only while
the graph grows: a chunk waits for a resource that a chunk of an outer scope will register, and that
chunk waits for the scope to end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import InternalError
from ensue.engine.graph.cycles import find_cycles
from ensue.engine.graph.dag import Dag, Edge
from ensue.engine.status import describe, is_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ensue.engine.node import Node, Scope


def break_deadlock(scopes: Iterable[Scope], can_do_without: Callable[[Node], bool]) -> Node:
    """Find a node that waits for itself and mark it `refused`; the caller makes it ready.

    Args:
        scopes: all scopes that have not ended.
        can_do_without: returns whether a node can go on without what it waits for; it is not refused.

    Raises:
        InternalError: nothing can go on, but no node waits for itself.
    """
    nodes = open_nodes(scopes)
    cycles = find_cycles(_waits(nodes))
    for cycle in cycles:
        circle = [nodes[edge.before] for edge in cycle]
        for node in circle:
            if node.awaited and node.waits_for > 0 and not node.refused:
                if not can_do_without(node):
                    node.refused = cycle_text(node, circle)
                node.waits_for = 0
                return node
    standing = "; ".join(f"{node.label} is {describe(node.status)}" for node in nodes)
    raise InternalError(f"the run cannot go on: {standing}")


def cycle_text(node: Node, circle: Sequence[Node]) -> str:
    """Return the cycle as text, beginning and ending with one node, each with its place.

    Args:
        node: one of the cycle.
        circle: nodes, each of which comes before the next, and the last before the first.
    """
    start = circle.index(node)
    backwards = [node, *reversed([*circle[start + 1 :], *circle[:start]]), node]
    names = [f"{each.label} at {each.chunk.span()}" for each in backwards]
    return f"This state waits for itself: {' waits for '.join(names)}"


def open_nodes(scopes: Iterable[Scope]) -> list[Node]:
    """Return the nodes of scopes that have not ended."""
    return [
        node
        for scope in scopes
        for nodes in (scope.nodes, *scope.fanned.values(), scope.listeners or [])
        for node in nodes
        if not is_over(node.status)
    ]


def _waits(nodes: Sequence[Node]) -> Dag:
    number = {node: place for place, node in enumerate(nodes)}
    graph = Dag(len(nodes))
    for place, node in enumerate(nodes):
        scope = node.scope
        for dependent in node.dependents:
            after = number.get(scope.nodes[dependent])
            if after is not None:
                graph.add(Edge(place, after, "order"))
        if scope.caller in number:
            graph.add(Edge(place, number[scope.caller], "growth"))
        for awaited in node.awaited:
            if awaited in number:
                graph.add(Edge(number[awaited], place, "registration"))
    for of_scope, fanned in _fan_outs(dict.fromkeys(node.scope for node in nodes)):
        if of_scope in number and fanned in number:
            graph.add(Edge(number[of_scope], number[fanned], "fan-out"))
    return graph


def _fan_outs(scopes: Iterable[Scope]) -> Iterator[tuple[Node, Node]]:
    """Yield every node of a fan-out, with the node that was fanned out."""
    for scope in scopes:
        for number, nodes in scope.fanned.items():
            yield from ((node, scope.nodes[number]) for node in nodes)
