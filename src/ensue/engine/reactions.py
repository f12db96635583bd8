"""What states owe: a reaction to a change that did not succeed is made up for by a later run.

A state reacts to a change with `watch`, `onchanges` or `listen`. If that fails or never starts, or the chosen
part of the run leaves the state out, the next run finds what has changed as it should be, so that nothing
would react to it any more. Until a reaction has succeeded, the states that it names count as changed for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.fan_out import FannedChunk, FannedReturn, parts_of
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.state_identity import StateIdentity
from ensue.engine.listeners import listener_of
from ensue.engine.node import Node, Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.owed_reactions import OwedReactions
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite
    from ensue.engine.node import Scope

_CHECK: Final = Role.CHECK
_LISTENER: Final = Role.LISTENER
_WATCH: Final = RequisiteKind.WATCH
_ONCHANGES: Final = RequisiteKind.ONCHANGES
_LISTEN: Final = RequisiteKind.LISTEN


class Reactions:
    """The reactions of one run.

    Args:
        owed: what earlier runs owe; None: that is not kept.
        can_watch: returns whether a node's module has a `mod_watch`.
    """

    def __init__(self, owed: OwedReactions | None, can_watch: Callable[[Node], bool]) -> None:
        self._owed = owed
        self.can_watch = can_watch

    def is_owed(self, node: Node) -> bool:
        """Return whether an earlier run owes the reaction of a node."""
        if self._owed is not None and node.role is not _CHECK:
            node.owed_since = self._owed.owed_since(node.identity)
            if not node.owed_since and (whole := _fan_out_of(node)) is not None:
                node.owed_since = self._owed.owed_since(whole)
        return bool(node.owed_since)

    def owes(self, node: Node) -> bool:
        """Return whether a node reacts to a change, so that later runs owe it if it fails or does not run."""
        if self._owed is None or node.is_test or node.scope.quiet:
            return False
        if node.role is _LISTENER:
            return True
        reacting = [requisite for requisite in node.chunk.requisites if self._reacts_by(node, requisite)]
        return bool(reacting) and (
            self.is_owed(node) or any(_has_changed(node.scope, requisite) for requisite in reacting)
        )

    def note(self, node: Node) -> None:
        """Note a node that has ended or was left out, if it reacts to a change."""
        returned = node.returned
        if self._owed is None or isinstance(returned, FannedReturn):
            return
        if returned is not None and returned.result is False:
            is_done, counts = False, returned.owed
        else:
            is_done = returned is not None
            has_ended = returned is None or (
                returned.result is True and (returned.ran or node.role is _LISTENER)
            )
            counts = has_ended and self.owes(node)
        if counts:
            self._owed.note_reaction(node.chunk, node.identity, node.scope.path, is_done=is_done)

    def note_excluded(self, scope: Scope) -> None:
        """Note what a run leaves out although it reacts to a change in a scope whose nodes have ended."""
        number = len(scope.nodes)
        for excluded in scope.plan.excluded:
            if excluded.reactions:
                chunk = msgspec.structs.replace(excluded.chunk, requisites=excluded.reactions)
                self.note(Node(scope, number, chunk, Role.STATE))
                if any(part.kind is _LISTEN and _has_changed(scope, part) for part in excluded.reactions):
                    self.note(Node(scope, number, listener_of(chunk), _LISTENER))

    def settle_fan_outs(self, scope: Scope) -> None:
        """Note that fan-outs of a scope that has ended owe nothing as a whole: each part owes its own."""
        owed = self._owed
        if owed is None or scope.quiet:
            return
        for parts in scope.fanned.values():
            chunk = scope.nodes[parts[0].index].chunk
            for part in (chunk, listener_of(chunk)):
                identity = _identity(scope, part)
                if owed.owed_since(identity):
                    owed.note_reaction(part, identity, scope.path, is_done=True)

    def _reacts_by(self, node: Node, requisite: Requisite) -> bool:
        return requisite.kind is _ONCHANGES or (requisite.kind is _WATCH and self.can_watch(node))


def _has_changed(scope: Scope, requisite: Requisite) -> bool:
    """Return whether something that a requisite names has changed, and has not failed."""
    return any(
        part.changes and part.result is not False
        for index in requisite.chunks
        if (returned := scope.result_of(index)) is not None
        for part in parts_of(returned)
    )


def _fan_out_of(node: Node) -> StateIdentity | None:
    """Return the identity of a node's fan-out, which owes for all its parts if it never ran; None: none."""
    if not isinstance(node.chunk, FannedChunk) or node.index not in node.scope.fanned:
        return None
    chunk = node.scope.nodes[node.index].chunk
    return _identity(node.scope, listener_of(chunk) if node.role is _LISTENER else chunk)


def _identity(scope: Scope, chunk: Chunk) -> StateIdentity:
    return StateIdentity(str(chunk.target or scope.plan.target), scope.identity, chunk.tag)


def owed_remark(node: Node) -> str:
    """Return the remark of a state whose reaction an earlier run owes."""
    return f"owed since run {node.owed_since}, in which it failed or did not run after a change"
