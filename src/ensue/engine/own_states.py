"""What other hosts' SLS do on a host comes after the host's own SLS.

The states of one target run in an order, so what they read and make does not depend on which host is faster.
Hosts whose SLS wait for each other in this way have no order: when nothing else can go on, all of these waits
end at once. What can go on without them has done so by then, in a plan as in an apply. What a host's own SLS
change after that has been overtaken.

A host that a state of the run registers is prepared by the SLS that registers it, so nothing there waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.engine.graph.cycles import knots
from ensue.engine.graph.dag import Dag, Edge
from ensue.engine.outcome import Overtaken

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from ensue.core.contracts.growth import Event
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.node import Node, Scope


class OwnStates:
    """The scopes of the SLS of the hosts of one run.

    Args:
        opening: returns when the plan of a host that is still to join is open; None for any other host.
        make_ready: called for a node that has waited.
    """

    def __init__(self, opening: Callable[[Srn], Event | None], make_ready: Callable[[Node], None]) -> None:
        self._opening = opening
        self._make_ready = make_ready
        self._scopes: dict[Srn, Scope] = {}
        self._waiting: dict[Node, Scope] = {}
        self._ahead: list[Node] = []

    def note(self, scope: Scope) -> None:
        """Note the scope of a host, as it opens."""
        self._scopes[scope.plan.target] = scope

    def forget(self) -> None:
        """Release all scopes."""
        self._scopes.clear()
        self._ahead.clear()

    def overtaken(self) -> list[Overtaken]:
        """Return the states that did not wait for what own states of their targets changed later."""
        ahead = [(node.returned, node.after) for node in self._ahead]
        return [
            Overtaken(id=returned.id, target=returned.target, later=later)
            for returned, own in ahead
            if returned is not None and own is not None and returned.ran and not returned.unknown
            if (later := tuple(_changed_after(returned, own.returns().values())))
        ]

    def wait(self, node: Node, registered: Container[Srn]) -> bool:
        """Let a node wait for the own SLS of its target; return whether it waits.

        Args:
            node: the node.
            registered: the resources that states of the run register.
        """
        target = node.target
        if node.after is not None or node.scope.top.plan.target == target or target in registered:
            return False
        if (opening := self._opening(target)) is not None:
            opening.on_resolve(lambda: self._make_ready(node))
            return True
        node.after = self._scopes.get(target)
        if node.after is None or node.after.finished.done:
            return False
        self._waiting[node] = node.after
        node.after.finished.on_resolve(lambda: self._end_wait(node))
        return True

    def release(self, open_nodes: Iterable[Node]) -> list[Node]:
        """End the waits of hosts that wait for each other, when nothing else can go on.

        Args:
            open_nodes: all nodes that have not ended.

        Returns:
            The nodes that go on.
        """
        tops: dict[Scope, int] = {}
        edges: list[Edge] = []
        for node in open_nodes:
            waits_for = {awaited.scope.top for awaited in node.awaited if not awaited.is_over}
            if node in self._waiting:
                waits_for.add(self._waiting[node])
            for top in waits_for:
                before, after = (tops.setdefault(each, len(tops)) for each in (top, node.scope.top))
                edges.append(Edge(before, after))
        waits = Dag(len(tops), edges)
        knot_of = {place: number for number, knot in enumerate(knots(waits)) for place in knot}
        released = [
            node
            for node, own in self._waiting.items()
            if knot_of.get(tops[own], -1) == knot_of.get(tops[node.scope.top])
        ]
        self._ahead += released
        for node in released:
            self._end_wait(node)
        return released

    def _end_wait(self, node: Node) -> None:
        if self._waiting.pop(node, None) is not None:
            self._make_ready(node)


def _changed_after(returned: Return, own: Iterable[Return]) -> Iterator[str]:
    """Yield the IDs of the states that began after another one on its target, and changed something."""
    for each in own:
        is_later = each.target == returned.target and each.run_num > returned.run_num
        if is_later and (each.changes or each.result is None):
            yield each.id
        for scope in (*each.delayed, *each.applied):
            yield from _changed_after(returned, scope.returns.values())
