"""What states owe: a reaction to a change that failed or never started is made up for by a later run.

A state reacts to a change with `watch`, `onchanges` or `listen`. The next run finds what has changed as it
should be, so that nothing would react to it any more. Until a reaction has succeeded, the states that it
names count as changed for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.fan_out import FannedReturn, parts_of
from ensue.core.model.requisite import RequisiteKind
from ensue.engine.node import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ensue.core.contracts.owed_reactions import OwedReactions
    from ensue.core.model.requisite import Requisite
    from ensue.engine.node import Node

_CHECK: Final = Role.CHECK
_LISTENER: Final = Role.LISTENER
_WATCH: Final = RequisiteKind.WATCH
_ONCHANGES: Final = RequisiteKind.ONCHANGES


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
        return bool(node.owed_since)

    def owes(self, node: Node) -> bool:
        """Return whether a node reacts to a change, so that later runs owe it if it fails or does not run."""
        if self._owed is None or node.is_test or node.scope.quiet:
            return False
        if node.role is _LISTENER:
            return True
        reacting = [requisite for requisite in node.chunk.requisites if self._reacts_by(node, requisite)]
        return bool(reacting) and (self.is_owed(node) or _has_cause(node, reacting))

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

    def _reacts_by(self, node: Node, requisite: Requisite) -> bool:
        return requisite.kind is _ONCHANGES or (requisite.kind is _WATCH and self.can_watch(node))


def _has_cause(node: Node, reacting: Iterable[Requisite]) -> bool:
    """Return whether something has changed that a node watches, or that it runs after the changes of."""
    for requisite in reacting:
        for index in requisite.chunks:
            returned = node.scope.result_of(index)
            if returned is not None and any(
                part.changes and part.result is not False for part in parts_of(returned)
            ):
                return True
    return False


def owed_remark(node: Node) -> str:
    """Return the remark of a state whose reaction an earlier run owes."""
    return f"owed since run {node.owed_since}, in which it failed or did not run after a change"
