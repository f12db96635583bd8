"""A graph as text, for tests and for people: one line a node, one indented line an edge into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.graph.dag import Dag


def graph_text(graph: Dag, labels: Sequence[str]) -> str:
    """Write a graph.

    Args:
        graph: the graph.
        labels: what each node is called.

    Returns:
        Nodes by number; below each what it waits for and why: `  <- apache (require)`.
    """
    lines: list[str] = []
    for node in range(graph.count):
        lines.append(labels[node])
        lines += [
            f"  <- {labels[edge.before]}" + (f" ({edge.reason})" if edge.reason else "")
            for edge in graph.before(node)
        ]
    return "".join(f"{line}\n" for line in lines)
