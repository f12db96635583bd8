"""Failures that an `onfail` state with `onfail_stop: false` has handled: they do not fail the run.

Source: Salt 3008, `check_onfail_requisites`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.model.returns import Return
    from ensue.engine.node import Node


def handled_failures(nodes: Iterable[Node]) -> set[int]:
    """Return the indexes of the chunks of one scope whose failures are handled.

    Args:
        nodes: the nodes of the scope.
    """
    return {
        index
        for node in nodes
        if (returned := node.returned) is not None and handles_failures(node, returned)
        for index in _failures_of(node)
    }


def handles_failures(node: Node, returned: Return) -> bool:
    """Return whether a node that has ended handles the failures that it ran for.

    Args:
        node: the node.
        returned: its return.
    """
    return not node.chunk.options.onfail_stop and returned.result is not False


def mark_handled(node: Node, handler: Return) -> None:
    """Record in a handler's return which failures it handled, and in theirs what handled them.

    Args:
        node: the node of the handler.
        handler: its return.
    """
    failed = [
        returned
        for index in _failures_of(node)
        if (returned := node.scope.nodes[index].returned) is not None and returned.result is False
    ]
    for returned in failed:
        returned.handled_by = returned.handled_by or handler.id
    handler.handles = tuple(returned.tag for returned in failed)


def _failures_of(node: Node) -> Iterator[int]:
    for requisite in node.chunk.requisites:
        if requisite.kind is RequisiteKind.ONFAIL:
            yield from requisite.chunks
