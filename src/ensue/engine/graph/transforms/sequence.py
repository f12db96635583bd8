"""Rule: in ordered mode the nodes of one target run one after the other.

A `parallel: true` chunk waits its turn like any other, but delays nothing: the chunk that follows it
waits for the chunk before it.

Source: Salt's `state_auto_order` and `parallel`; overview, "Order and concurrency".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.chunk import NO_OPTIONS
from ensue.engine.graph.dag import Edge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.srn import Srn


def is_row(plan: Plan) -> bool:
    """Say whether, in ordered mode, each chunk only follows the one before it, whatever its requisites.

    Most plans are such sequences; edges for requisites would then add nothing.
    """
    last: Sequence[Requisite] = ()
    for index, chunk in enumerate(plan.chunks):
        options = chunk.options
        if chunk.target is not None and chunk.target != plan.target:
            return False
        if options is not NO_OPTIONS and (options.parallel or options.fan_out is not None):
            return False
        if chunk.requisites is last:  # what the previous chunk could require, this one can, too
            continue
        last = chunk.requisites
        for requisite in last:
            if max(requisite.chunks, default=-1) >= index:
                return False
    return True


def sequence_edges(
    ordered: Iterable[int], target_of: Callable[[int], Srn | None], is_parallel: Callable[[int], bool]
) -> Iterator[Edge]:
    """Yield an edge from each node to the next of its target.

    Args:
        ordered: all nodes in order.
        target_of: the target of a node; None is the plan's own.
        is_parallel: whether later nodes need not wait for a node.
    """
    last: dict[Srn | None, int] = {}
    for node in ordered:
        target = target_of(node)
        before = last.get(target)
        if before is not None:
            yield Edge(before, node, "sequence")
        if not is_parallel(node):
            last[target] = node
