"""Rule: in ordered mode the nodes of one target run one after the other.

A `parallel: true` chunk waits its turn like any other, and then holds up nobody: what follows it
waits for the one before it.

Source: Salt's `state_auto_order` and `parallel`; overview, "Order and concurrency".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.graph.dag import Edge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ensue.model.srn import Srn


def sequence_edges(
    ordered: Iterable[int], target_of: Callable[[int], Srn | None], is_parallel: Callable[[int], bool]
) -> Iterator[Edge]:
    """Yield an edge from each node to the next of its target.

    Args:
        ordered: all nodes in order.
        target_of: the target of a node; None is the plan's own.
        is_parallel: whether a node holds up nobody.
    """
    last: dict[Srn | None, int] = {}
    for node in ordered:
        target = target_of(node)
        before = last.get(target)
        if before is not None:
            yield Edge(before, node, "sequence")
        if not is_parallel(node):
            last[target] = node
