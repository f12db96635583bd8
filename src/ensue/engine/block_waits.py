"""What a state without a function does that waits for others and calls a delayed block with their returns.

It succeeds when all of its producers have succeeded, and fails if one has failed or has no return. In a
plan it is unknown as long as the return of one is. A producer in an enclosing scope may still have growth
of its own, which the block may be part of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.fan_out import declared_id
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.engine.answer import DecidedReturn
from ensue.engine.returns import failure
from ensue.engine.status import has_acted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.returns import Return
    from ensue.engine.node import Node, Scope


def answer_of_wait(node: Node) -> DecidedReturn:
    """Return the answer of such a state; all of its producers have ended or left their growth behind.

    Args:
        node: its node.
    """
    returns = producer_returns(node)
    name = node.chunk.name
    if failed := failed_producers(node):
        return DecidedReturn(failure(name, f"One or more requisite failed: {', '.join(failed)}"), ran=False)
    unknown = [id_ for id_, returned in returns.items() if returned is not None and returned.result is None]
    if unknown:
        comment = f"waits for {' and '.join(unknown)} (known after apply)"
        return DecidedReturn(UnknownReturn(name=name, result=None, comment=comment), ran=False)
    verb = "has" if len(returns) == 1 else "have"
    return DecidedReturn(
        StateReturn(name=name, result=True, comment=f"{' and '.join(returns)} {verb} ended"), ran=False
    )


def failed_producers(node: Node) -> list[str]:
    """Return the IDs of the producers of such a state that have failed or have no return; of others, none."""
    returns = producer_returns(node)
    return [id_ for id_, returned in returns.items() if returned is None or returned.result is False]


def producer_returns(node: Node) -> dict[str, Return | None]:
    """Return the returns of the producers of such a state by their IDs; None for one that has no return."""
    returns: dict[str, Return | None] = {}
    for id_ in node.chunk.options.producers:
        producer = _producer(id_, node.scope)
        returns[id_] = None if producer is None else producer.returned or producer.growing
    return returns


def awaited_producers(node: Node) -> Iterator[Node]:
    """Yield the producers in enclosing scopes that are still to return; those of its scope are requisites."""
    for id_ in node.chunk.options.producers:
        producer = _producer(id_, node.scope)
        if producer is not None and producer.scope is not node.scope and not has_acted(producer.status):
            yield producer


def _producer(id_: str, scope: Scope) -> Node | None:
    """Return the last state of an ID in a scope, or in the nearest enclosing scope that has one."""
    while True:
        states = scope.nodes[: len(scope.plan.chunks)]
        for node in reversed(states):
            if declared_id(node.chunk) == id_:
                return node
        if scope.caller is None:
            return None
        scope = scope.caller.scope
