"""A graph as text, for tests and for people: one line per node, one indented line per incoming edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.engine.graph.dag import Dag


def graph_text(graph: Dag, labels: Sequence[str]) -> str:
    """Write a graph.

    Args:
        graph: the graph.
        labels: the name of each node.

    Returns:
        Nodes by number; below each, the nodes that it waits for and why: `  <- apache (require)`.
    """
    lines: list[str] = []
    for node in range(graph.count):
        lines.append(labels[node])
        lines += [
            f"  <- {labels[edge.before]}" + (f" ({edge.reason})" if edge.reason else "")
            for edge in graph.before(node)
        ]
    return "".join(f"{line}\n" for line in lines)
