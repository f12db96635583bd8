"""What a node is called with: its chunk's arguments, with references and slots resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.errors import EnsueError
from ensue.model.returns import StateReturn, UnknownReturn
from ensue.model.unknown import unknowns_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.arguments import ArgumentResolver
    from ensue.contracts.context import StateContext
    from ensue.engine.node import Node
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap


class NodeArguments:
    """The arguments of the nodes of one run.

    Args:
        resolver: makes what resolves references and slots, once there is one; None when nothing does.
    """

    def __init__(self, resolver: Callable[[], ArgumentResolver] | None) -> None:
        self._resolver = resolver

    async def resolved(self, node: Node, context: StateContext) -> DataMap | StateReturn:
        """Resolve references and slots; a plan cannot call a function with what only an apply will know.

        Returns:
            The arguments; the answer of a state that cannot be called yet.

        Raises:
            EnsueError: a value cannot be had.
        """
        resolver, chunk = self._resolver, node.chunk
        if resolver is None or (chunk.bindings is None and not chunk.has_slots):
            return chunk.arguments
        if chunk.has_slots:
            arguments = await resolver().resolve(chunk, node.scope.result_of, context)
        else:
            arguments = resolver().resolve_now(chunk, node.scope.result_of, node.target, test=node.is_test)
            node.bound = arguments
        return _unless_unknown(chunk, arguments) if node.is_test else arguments

    def known(self, node: Node) -> DataMap | None:
        """Return what a node would be called with, slots as written; None where that cannot be had."""
        resolver, chunk = self._resolver, node.chunk
        if resolver is None or chunk.bindings is None or chunk.has_slots:
            return chunk.arguments
        try:
            return resolver().resolve_now(chunk, node.scope.result_of, node.target, test=node.is_test)
        except EnsueError:
            return None


def _unless_unknown(chunk: Chunk, arguments: DataMap) -> DataMap | StateReturn:
    """Return the arguments, or the answer of a state that cannot be called with what is not yet known."""
    if not (unknown := unknowns_in(arguments)):
        return arguments
    references = ", ".join(dict.fromkeys(each.reference for each in unknown))
    return UnknownReturn(name=chunk.name, result=None, comment=f"waits for {references} (known after apply)")
