"""Returns of states whose call raised: the error, or in a plan that only an apply will know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import (
    NO_CONNECTION,
    DiskError,
    MissingOnTargetError,
    NotOfferedError,
    RemoteError,
    UnknownResourceError,
)
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.engine.pending import MOST_NAMED, PendingStates
from ensue.engine.returns import exception_return, failure, known_later, unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.core.contracts.reach import Reach
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.srn import Srn
    from ensue.engine.node import Node


class CallFaults:
    """The meaning of exceptions of calls in one run.

    Args:
        promises: the resources that a chunk will register.
        stop: stops the run, with the reason: nothing more can be recorded on a disk that takes no more.
        described: returns the message of an error of a target.
        reach: the hosts that the run cannot reach.
        pending: the states of a plan that would change something.
    """

    def __init__(
        self,
        promises: Callable[[Chunk], Sequence[Srn]],
        stop: Callable[[str], None],
        described: Callable[[RemoteError], Awaitable[str]],
        reach: Reach,
        pending: PendingStates,
    ) -> None:
        self._pending = pending
        self._reach = reach
        self._promises = promises
        self._stop = stop
        self._described = described
        self._superseded: set[Srn] = set()

    def would_change(self, node: Node) -> None:
        """Note that a state of a plan would change something, and so register its resources again."""
        if node.is_test:
            self._superseded.update(self._promises(node.chunk))

    async def as_return(self, node: Node, error: Exception) -> StateReturn:
        """Make a return of an exception; in a plan, what the plan itself will make is not an error."""
        if isinstance(error, DiskError):
            self._stop(str(error))
        if isinstance(error, UnknownResourceError) and (comment := _joins_later(node, error)):
            return UnknownReturn(name=node.chunk.name, result=None, comment=comment)
        if isinstance(error, RemoteError) and self.is_superseded(node, node.target):
            return UnknownReturn(name=node.chunk.name, result=None, comment=f"known after apply: {error}")
        if isinstance(error, MissingOnTargetError) and (makers := self._pending.makers(node, error.missing)):
            return known_later(node.chunk.name, str(error), makers[:MOST_NAMED])
        if isinstance(error, NotOfferedError):
            error = error.needed_by(node.chunk.full_function)
        if isinstance(error, RemoteError):
            function_return = failure(node.chunk.name, await self._described(error))
            return unreachable(function_return) if self._has_no_connection(node, error) else function_return
        return exception_return(error, name=node.chunk.name)

    def _has_no_connection(self, node: Node, error: RemoteError) -> bool:
        """Return whether an error says that a node's own target cannot be reached."""
        if error.target != str(node.target):
            return False
        return isinstance(error, NO_CONNECTION) or self._reach.fault(error.target) is not None

    def is_superseded(self, node: Node, target: Srn) -> bool:
        """Return whether, in a plan, an earlier state would change the source of a resource.

        Its record is then no longer valid once the plan is applied.
        """
        if node.is_test and target in self._superseded:
            return True
        scope = node.scope
        while node.is_test:
            for index, chunk in enumerate(scope.plan.chunks):
                function_return = scope.result_of(index)
                if (
                    function_return is not None
                    and function_return.result is None
                    and target in self._promises(chunk)
                ):
                    return True
            if scope.caller is None:
                return False
            scope = scope.caller.scope
        return False


def _joins_later(node: Node, error: UnknownResourceError) -> str:
    """Return, in a plan, which states may register what is not there before a node; empty if none may."""
    name = error.target or str(node.target)
    makers = node.scope.coming.makers_of(node, name)[:MOST_NAMED] if node.is_test else ()
    ids = ", ".join(f"'{each}'" for each in makers)
    return f"waits for {ids}, which may register {name} (known after apply)" if ids else ""
