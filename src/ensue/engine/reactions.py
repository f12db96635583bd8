"""What states owe: a reaction to a change is owed until it has succeeded, in this run or in a later one.

A state reacts to a change with `watch`, `onchanges` or `listen`. If that fails or never starts, the chosen
part of the run leaves the state out, or the run is killed, the next run finds what has changed as it should
be, so that nothing would react to it any more. Until a reaction has succeeded, the states that it names count
as changed for it. Before a state is called, those that react to its changes are reported; what they owe then
follows from the events of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.events import ReactionsOwed
from ensue.core.model.requisite import RequisiteKind
from ensue.engine.listeners import listener_of
from ensue.engine.node import Node, Role
from ensue.engine.reacting import reactions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.core.contracts.owed_reactions import OwedReactions
    from ensue.core.model.chunk import Chunk
    from ensue.engine.node import Scope
    from ensue.engine.reacting import Reaction

_STATE: Final = Role.STATE
_CHECK: Final = Role.CHECK
_LISTENER: Final = Role.LISTENER
_WATCH: Final = RequisiteKind.WATCH
_ONCHANGES: Final = RequisiteKind.ONCHANGES
_LISTEN: Final = RequisiteKind.LISTEN


class Reactions:
    """The reactions of one run.

    Args:
        owed: what is owed; None: that is not kept.
        can_watch: returns whether a node's module has a `mod_watch`.
    """

    def __init__(self, owed: OwedReactions | None, can_watch: Callable[[Node], bool]) -> None:
        self._owed = owed
        self.can_watch = can_watch

    def is_owed(self, node: Node) -> bool:
        """Return whether an earlier run owes the reaction of a node, which then has that run.

        What this run has changed is told by the requisites themselves.
        """
        if self._owed is None or node.role is _CHECK or not self._reacts(node):
            return False
        since = self._owed.owed_since(node.identity)
        node.owed_since = since or ""
        return since is not None

    def owes(self, node: Node) -> bool:
        """Return whether later runs owe the reaction of a node that has failed, or does not run."""
        if self._owed is None or node.is_test or node.scope.quiet or node.role is _CHECK:
            return False
        return self._reacts(node) and self._owed.is_owed(node.identity)

    def to_changes_of(self, node: Node) -> ReactionsOwed | None:
        """Return the event that names the states that react to changes of a node; None if none does."""
        scope = node.scope
        if self._owed is None or node.is_test or scope.quiet or node.role is not _STATE:
            return None
        if scope.reactions is None:
            scope.reactions = reactions_in(scope.plan)
        reactions = scope.reactions.get(node.index)
        if reactions is None:
            return None
        reacting = {
            (chunk.tag, str(chunk.target or scope.plan.target)): chunk.sls
            for reaction in reactions
            for chunk in self._reacting(scope, reaction)
        }
        if not reacting:
            return None
        return ReactionsOwed(
            scope=scope.path,
            scope_identity=scope.identity,
            tag_=node.chunk.tag,
            target=str(node.target),
            tags=tuple(tag for tag, _ in reacting),
            targets=tuple(target for _, target in reacting),
            slses=tuple(reacting.values()),
        )

    def _reacting(self, scope: Scope, reaction: Reaction) -> Iterator[Chunk]:
        """Yield the chunks of a reaction: those of its fan-out, and of `listen` the listeners."""
        for node in scope.fanned.get(reaction.number, [Node(scope, reaction.number, reaction.chunk, _STATE)]):
            if reaction.kind is _LISTEN:
                yield listener_of(node.chunk)
            elif reaction.kind is _ONCHANGES or self.can_watch(node):
                yield node.chunk

    def _reacts(self, node: Node) -> bool:
        if node.role is _LISTENER:
            return True
        kinds = {requisite.kind for requisite in node.chunk.requisites}
        return _ONCHANGES in kinds or (_WATCH in kinds and self.can_watch(node))


def owed_remark(node: Node) -> str:
    """Return the remark of a state whose reaction an earlier run owes."""
    return f"owed since run {node.owed_since}, in which it failed or did not run after a change"
