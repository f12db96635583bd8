"""Decide which nodes of a resuming run take over returns of the runs before it.

A return stands for a node when the node would be called with the same arguments on the same target,
everything that its call read is as it was, and nothing that it watches has changed since. What the journals
hold is in `resume`; how the node is carried out otherwise, in `decision`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.engine.node import Role
from ensue.errors import EnsueError
from ensue.model.call_fingerprint import NO_FINGERPRINT, fingerprint
from ensue.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.engine.executor import Executor
    from ensue.engine.node import Node
    from ensue.engine.services import Hooks
    from ensue.model.data import DataMap
    from ensue.model.returns import Return

ARGUMENTS: Final = "arguments"
"""What stands among the names of what a call read when its arguments hold a secret."""

_HEARS: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES})


class Adoptions:
    """The returns that one run may take over.

    Args:
        done: what is known of finished states, by (scope, tag); None for one to be called again.
        hooks: compares what calls read, and says whose work is gone with its run.
        executor: registers what an adopted state registered.
    """

    def __init__(
        self, done: Mapping[tuple[str, str], Return | None], hooks: Hooks, executor: Executor
    ) -> None:
        self._done = dict(done)
        self._hooks = hooks
        self._executor = executor
        self._compared: set[tuple[str, str]] = set()
        self.first_free_number = max((back.run_num for back in done.values() if back), default=-1) + 1

    def find(self, node: Node) -> Return | None:
        """Return the return that a node may take over; None if the node must run.

        Args:
            node: the node; everything that its requisites name is over.
        """
        if not self._done or node.role is Role.CHECK or node.refused:
            return None
        key = _key(node)
        before = self._done.get(key)
        if before is None or before.sensitive or self._hooks.is_transient(node.chunk):
            # One that had finished makes nothing new when it is called again.
            node.is_news = key not in self._done
            return None
        node.is_news = (
            before.target != str(node.target)
            or not self._has_same_arguments(node, before)
            or any(_has_changed_anew(heard) for heard in _heard(node))
        )
        return None if node.is_news else before

    def must_compare(self, node: Node, before: Return) -> bool:
        """Say whether `compare` has to be awaited before a node takes over a return."""
        has_something = bool(before.read) or (before.ran and bool(node.chunk.options.registers))
        return has_something and _key(node) not in self._compared

    async def compare(self, node: Node, before: Return) -> None:
        """Find out whether a node may take over a return, for which something has to be waited for."""
        try:
            is_same = await self._is_same(node, before)
            if is_same and before.ran and node.chunk.options.registers:
                await self._executor.register_again(node, before)
        except Exception:  # noqa: BLE001 - grains are gathered by plug-ins; the call says what is wrong
            is_same = False
        if is_same:
            self._compared.add(_key(node))
        else:
            del self._done[_key(node)]

    async def _is_same(self, node: Node, before: Return) -> bool:
        if not before.read:
            return True
        inputs, arguments = self._hooks.inputs, None
        if ARGUMENTS in before.read:
            arguments = self._arguments(node)
        return inputs is not None and await inputs.are_same(before.read, before.read_mark, arguments)

    def _has_same_arguments(self, node: Node, before: Return) -> bool:
        if before.fingerprint == NO_FINGERPRINT:
            return ARGUMENTS in before.read
        arguments = self._arguments(node)
        return arguments is not None and before.fingerprint == fingerprint(arguments)

    def _arguments(self, node: Node) -> DataMap | None:
        """Return the arguments of a call, slots as written; None where a value is not available."""
        resolver, chunk = self._hooks.arguments, node.chunk
        if resolver is None or chunk.bindings is None or chunk.has_slots:
            return chunk.arguments
        try:
            return resolver().resolve_now(chunk, node.scope.result_of, node.target, test=node.is_test)
        except EnsueError:
            return None


def _key(node: Node) -> tuple[str, str]:
    return node.scope.path, node.chunk.tag


def _has_changed_anew(node: Node) -> bool:
    return node.is_news and node.returned is not None and bool(node.returned.changes)


def _heard(node: Node) -> Iterator[Node]:
    """Yield the nodes whose changes make a node do something."""
    scope = node.scope
    if node.role is Role.LISTENER:
        for number, other in enumerate(scope.plan.chunks):
            for requisite in other.requisites:
                if requisite.kind is RequisiteKind.LISTEN and number == node.index:
                    yield from _nodes_of(node, requisite.chunks)
                elif requisite.kind is RequisiteKind.LISTEN_IN and node.index in requisite.chunks:
                    yield from _nodes_of(node, (number,))
        return
    for requisite in node.chunk.requisites:
        if requisite.kind in _HEARS:
            yield from _nodes_of(node, requisite.chunks)


def _nodes_of(node: Node, indices: tuple[int, ...]) -> Iterator[Node]:
    for index in indices:
        yield from node.scope.fanned.get(index) or (node.scope.nodes[index],)
