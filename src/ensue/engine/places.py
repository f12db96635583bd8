"""How many hosts of a run are at work at a time, and when no further host begins (`--batch`, `--fail-limit`).

The plan of each host is open from the start, so other hosts see what it will register, but its nodes are
carried out only while the host holds a place. A host holds its place as long as any of its nodes is ready or
at work. If all that is left of it waits for other hosts, it gives its place back, and takes one again when a
wait ends. So no host that waits keeps the host that it waits for from beginning.

Source: Ansible's `serial` and `max_fail_percentage`, Salt's `--batch-size`; the window rolls as Salt's does.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final

from ensue.engine.node import Role
from ensue.engine.status import Growing, Running, Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ensue.engine.node import Node, Scope
    from ensue.engine.services import HostLimits

FAIL_LIMIT: Final = "fail limit"
"""Why a host was not run when too many others had failed."""


class Places:
    """The places of one run.

    Args:
        limits: how many places there are, and how many hosts may fail.
        go_on: called with each ready node of a host that has a place.
        has_failed: returns whether the plan of a host, or what grew from it, has failed.
        exceeded: called when more hosts have failed than may.

    `reason` is why no further host begins; empty while hosts may begin.
    """

    def __init__(
        self,
        limits: HostLimits,
        *,
        go_on: Callable[[Node], None],
        has_failed: Callable[[Scope], bool],
        exceeded: Callable[[], None],
    ) -> None:
        self._free = limits.at_once
        self._failures_allowed = limits.failures
        self._go_on = go_on
        self._has_failed = has_failed
        self._exceeded = exceeded
        self._failures = 0
        self._hosts: dict[Scope, _Host] = {}
        self._going_on: deque[_Host] = deque()
        self._beginning: OrderedDict[Scope, _Host] = OrderedDict()
        self.reason = ""

    @property
    def excess(self) -> str:
        """Why hosts were not run, for the user; empty unless more hosts have failed than may."""
        if self.reason != FAIL_LIMIT:
            return ""
        failures = "1 host failed" if self._failures == 1 else f"{self._failures} hosts failed"
        return f"{failures}, and the fail limit is {self._failures_allowed}"

    def add(self, node: Node) -> None:
        """Let a ready node be carried out, as soon as its host has a place."""
        host = self._host_of(node)
        host.at_work += 1
        if host.may_go_on:
            self._go_on(node)
            return
        host.held.append(node)
        if host.has_begun:
            if len(host.held) == 1:
                self._going_on.append(host)
        else:
            self._beginning.setdefault(host.scope, host)
        self._fill()

    def around(
        self, carry_out: Callable[[Node], Coroutine[None, None, None]]
    ) -> Callable[[Node], Coroutine[None, None, None]]:
        """Return a function that carries out a node, after which the node is no longer at work."""

        async def carry_out_in_place(node: Node) -> None:
            await carry_out(node)
            if node.lease is None:  # With a lease that is not granted yet, it is still at work.
                self._rest(node)

        return carry_out_in_place

    def pause(self, node: Node) -> None:
        """Record that a node does nothing itself until a scope that it has opened ends."""
        host = self._host_of(node)
        pauses = host.pauses.get(node, 0)
        host.pauses[node] = pauses + 1
        if not pauses:
            self._rest(node)

    def resume(self, node: Node) -> None:
        """Record the end of a `pause`: another node of the host was at work, so the host has its place."""
        host = self._host_of(node)
        host.pauses[node] -= 1
        if not host.pauses[node]:
            del host.pauses[node]
            host.at_work += 1

    def close(self, reason: str) -> None:
        """Let no further host begin; the states of hosts that have not begun are left out.

        A host that has, or had, a place has not begun either while its first state waits.

        Args:
            reason: why.
        """
        if self.reason:
            return
        self.reason = reason
        placed = [host for host in self._hosts.values() if host.has_begun and not _has_called(host.scope)]
        beginning = [*self._beginning.values(), *placed]
        self._beginning.clear()
        self._going_on = deque(host for host in self._going_on if host not in placed)
        for host in beginning:
            self._leave_out(host)

    def _host_of(self, node: Node) -> _Host:
        scope = node.scope.top
        host = self._hosts.get(scope)
        if host is None:
            host = self._hosts[scope] = _Host(scope)
            if self.reason:
                self._leave_out(host)
        return host

    def _leave_out(self, host: _Host) -> None:
        host.may_go_on = True
        host.scope.has_begun = False
        host.scope.aborted = self.reason
        host.release(self._go_on)

    def _fill(self) -> None:
        """Give free places away: first to hosts that have begun, then to those that have not."""
        while self._free and (self._going_on or self._beginning):
            host = self._going_on.popleft() if self._going_on else self._beginning.popitem(last=False)[1]
            self._free -= 1
            host.has_place = host.may_go_on = host.has_begun = True
            host.release(self._go_on)

    def _rest(self, node: Node) -> None:
        """Record that a node has ended, or waits until something else makes it ready."""
        host = self._host_of(node)
        host.at_work -= 1
        if not node.is_over:
            self._prefer_awaited(node)
        if not host.at_work and host.has_place:
            self._give_back(host)

    def _prefer_awaited(self, node: Node) -> None:
        """Let the hosts that a node waits for begin before others."""
        awaited = [each.scope.top for each in node.awaited]
        for scope in [*awaited, *([node.after] if node.after else [])]:
            if scope in self._beginning:
                self._beginning.move_to_end(scope, last=False)

    def _give_back(self, host: _Host) -> None:
        host.has_place = host.may_go_on = False
        self._free += 1
        if host.scope.finished.done:
            del self._hosts[host.scope]
            self._failures += self._has_failed(host.scope)
            allowed = self._failures_allowed
            if not self.reason and allowed is not None and self._failures > allowed:
                self._exceeded()
        self._fill()


class _Host:
    """A host with states to run.

    Args:
        scope: the scope of its plan.

    `at_work` counts its nodes that are ready or being carried out, without those in `pauses`, which wait for
    scopes that they have opened. `held` are ready nodes that wait for its place.
    """

    __slots__ = ("at_work", "has_begun", "has_place", "held", "may_go_on", "pauses", "scope")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.at_work = 0
        self.pauses: dict[Node, int] = {}
        self.held: list[Node] = []
        self.has_place = False
        self.has_begun = False
        self.may_go_on = False

    def release(self, go_on: Callable[[Node], None]) -> None:
        """Let the nodes that are held be carried out."""
        held, self.held = self.held, []
        for node in held:
            go_on(node)


def _has_called(scope: Scope) -> bool:
    """Return whether a state of a host was called, or has a return; a check of a `prereq` changes nothing."""
    states = (node for node in scope.nodes if node.role is not Role.CHECK)
    return any(
        isinstance(node.status, Running | Growing | Settled)
        for state in states
        for node in scope.fanned.get(state.index, (state,))
    )
