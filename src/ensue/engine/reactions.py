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
    from collections.abc import Callable

    from ensue.core.contracts.owed_reactions import OwedReactions
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

    def note(self, node: Node) -> None:
        """Note a node that has ended or was left out, if it reacts to a change."""
        owed, returned = self._owed, node.returned
        if owed is None or node.is_test or node.scope.quiet or isinstance(returned, FannedReturn):
            return
        if not (node.owed_since or node.role is _LISTENER or self._has_cause(node)):
            return
        if returned is None or returned.result is False:
            owed.note_reaction(node.chunk, node.identity, node.scope.path, is_done=False)
        elif returned.result is True and (returned.ran or node.role is _LISTENER):
            owed.note_reaction(node.chunk, node.identity, node.scope.path, is_done=True)

    def _has_cause(self, node: Node) -> bool:
        """Return whether something has changed that a node watches, or that it runs after the changes of."""
        for requisite in node.chunk.requisites:
            if requisite.kind is _ONCHANGES or (requisite.kind is _WATCH and self.can_watch(node)):
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
