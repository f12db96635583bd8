"""Returns of states whose call raised: what is wrong, and in a plan what only an apply will know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.engine.returns import exception_return
from ensue.errors import NotOfferedError, RemoteError, UnknownResourceError
from ensue.model.fan_out import FannedChunk
from ensue.model.resource import with_sources
from ensue.model.returns import StateReturn, UnknownReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.engine.node import Node
    from ensue.model.chunk import Chunk
    from ensue.model.srn import Srn


class CallFaults:
    """Converts exceptions of calls to returns.

    Args:
        promises: the resources that a chunk will register.
    """

    def __init__(self, promises: Callable[[Chunk], Sequence[Srn]]) -> None:
        self._promises = promises

    def as_return(self, node: Node, error: Exception) -> StateReturn:
        """Make a return of an exception; in a plan a target that the plan will register is no fault."""
        later = (isinstance(error, UnknownResourceError) and self._comes_later(node)) or (
            isinstance(error, RemoteError) and self.is_superseded(node, node.target)
        )
        if later:
            return UnknownReturn(name=node.chunk.name, result=None, comment=f"known after apply: {error}")
        if isinstance(error, NotOfferedError):
            error = error.needed_by(node.chunk.full_function)
        said = exception_return(error, name=node.chunk.name)
        if isinstance(error, RemoteError) and isinstance(node.chunk, FannedChunk):
            comment = with_sources(said.comment, node.target, node.chunk.sources)
            return msgspec.structs.replace(said, comment=comment)
        return said

    def is_superseded(self, node: Node, target: Srn) -> bool:
        """Say whether, in a plan, an earlier state would change what it registers a resource from.

        What is known of the resource then holds no longer once the plan is applied.
        """
        scope = node.scope
        while node.is_test:
            for index, chunk in enumerate(scope.plan.chunks):
                said = scope.result_of(index)
                if said is not None and said.result is None and target in self._promises(chunk):
                    return True
            if scope.caller is None:
                return False
            scope = scope.caller.scope
        return False

    def _comes_later(self, node: Node) -> bool:
        """Say whether, in a plan, a node's target is one that the plan itself will register."""
        if not node.is_test:
            return False
        return any(node.target in self._promises(chunk) for chunk in node.scope.plan.chunks)
