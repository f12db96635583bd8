"""Which nodes take over returns of the run that this one resumes.

A node takes over a return if it would be called with the same arguments on the same target, everything that
its call read is unchanged, and nothing that it watches has changed since. `resume` reads the journals;
`decision` decides about all other nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from ensue.core.errors import EnsueError
from ensue.core.model.call_fingerprint import NO_FINGERPRINT, fingerprint
from ensue.core.model.requisite import RequisiteKind
from ensue.engine.node import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.executor import Executor
    from ensue.engine.node import Node
    from ensue.engine.services import EngineHooks

ARGUMENTS: Final = "arguments"
"""The name that replaces those of a call's readings if its arguments contain a secret."""

_CHANGE_REQUISITES: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES})


class Adoptions:
    """The returns that one run may take over.

    Args:
        done: returns of finished states by identity; None for a state to be called again.
        hooks: compares what calls read, and knows which states have no effect beyond their run.
        executor: registers what an adopted state registered.
    """

    def __init__(
        self, done: Mapping[StateIdentity, Return | None], hooks: EngineHooks, executor: Executor
    ) -> None:
        self._done = dict(done)
        self._hooks = hooks
        self._executor = executor
        self._compared: set[StateIdentity] = set()
        self.first_free_number = max((back.run_num for back in done.values() if back), default=-1) + 1

    def find(self, node: Node) -> Return | None:
        """Return what a node may take over; None if it has to be carried out.

        Args:
            node: the node; everything that its requisites name has ended.
        """
        if not self._done or node.role is Role.CHECK or node.refused:
            return None
        key = node.identity
        before = self._done.get(key)
        if before is None or before.sensitive or self._hooks.is_transient(node.chunk):
            # A state that had finished creates nothing new when it is called again.
            node.is_news = key not in self._done
            return None
        node.is_news = not self._has_same_arguments(node, before) or any(
            _has_changed_anew(heard) for heard in _producers_of_changes(node)
        )
        if node.is_news:
            return None
        # The path of the scope may have another number in this run.
        return before if before.scope == node.scope.path else structs.replace(before, scope=node.scope.path)

    def must_compare(self, node: Node, before: Return) -> bool:
        """Return whether `compare` has to be awaited before a node takes over a return."""
        has_something = bool(before.read) or (before.ran and bool(node.chunk.options.registers))
        return has_something and node.identity not in self._compared

    async def compare(self, node: Node, before: Return) -> None:
        """Determine whether a node may take over a return, if that has to be awaited."""
        try:
            is_same = await self._is_same(node, before)
            if is_same and before.ran and node.chunk.options.registers:
                await self._executor.register_again(node, before)
        except Exception:  # noqa: BLE001 - grains are gathered by plug-ins; the call says what is wrong
            is_same = False
        if is_same:
            self._compared.add(node.identity)
        else:
            del self._done[node.identity]

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
        """Return the arguments of a call, slots as written; None if a value is not available."""
        resolver, chunk = self._hooks.arguments, node.chunk
        if resolver is None or chunk.bindings is None or chunk.has_slots:
            return chunk.arguments
        try:
            return resolver().resolve_now(chunk, node.scope.result_of, node.target, test=node.is_test)
        except EnsueError:
            return None


def _has_changed_anew(node: Node) -> bool:
    return node.is_news and node.returned is not None and bool(node.returned.changes)


def _producers_of_changes(node: Node) -> Iterator[Node]:
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
        if requisite.kind in _CHANGE_REQUISITES:
            yield from _nodes_of(node, requisite.chunks)


def _nodes_of(node: Node, indices: tuple[int, ...]) -> Iterator[Node]:
    for index in indices:
        yield from node.scope.fanned.get(index) or (node.scope.nodes[index],)
