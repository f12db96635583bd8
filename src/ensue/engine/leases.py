"""Which nodes may call their functions now: a limited number, and one at a time on each target.

A lease is granted whole or not at all, so no node holds a target while it waits for a slot. Leases on
one target, and leases that need a slot, are granted in the order in which they were requested.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ensue.engine.promise import Promise

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.model.srn import Srn


class Leases:
    """All leases of one run.

    Args:
        slots: how many leases with a slot may be held at once.
    """

    def __init__(self, slots: int) -> None:
        self._free_slots = max(1, slots)
        self._held_targets: set[Srn] = set()
        self._waiting_for_slot: deque[_Waiting] = deque()
        self._waiting_for_target: dict[Srn, deque[_Waiting]] = {}

    def is_free(self, target: Srn) -> bool:
        """Return whether no node holds a target."""
        # Most often no target is held, and that is the faster check.
        return not self._held_targets or target not in self._held_targets

    def request(self, lease: Lease, granted: Callable[[], None]) -> bool:
        """Grant a lease now, or as soon as what it needs is released.

        Args:
            lease: the lease.
            granted: called when a lease is granted later; it must not request one.

        Returns:
            Whether it was granted at once.
        """
        target = lease.target
        if target is not None and not self.is_free(target):
            self._waiting_for_target.setdefault(target, deque()).append((lease, granted))
        elif lease.needs_slot and not self._free_slots:
            self._waiting_for_slot.append((lease, granted))
        else:
            if lease.needs_slot:
                self._free_slots -= 1
            if target is not None:
                self._held_targets.add(target)
            lease.is_held = True
        return lease.is_held

    def release(self, lease: Lease) -> None:
        """Release a lease, and grant those that wait for what it held."""
        target = lease.target
        if lease.needs_slot:
            self._free_slots += 1
        if target is not None:
            self._held_targets.discard(target)
            if target in self._waiting_for_target:
                self._grant_target(target)
        while self._free_slots and self._waiting_for_slot:
            self._request_again(self._waiting_for_slot.popleft())

    def _grant_target(self, target: Srn) -> None:
        waiting = self._waiting_for_target[target]
        following = waiting.popleft()
        if not waiting:
            del self._waiting_for_target[target]
        self._request_again(following)

    def _request_again(self, waiting: _Waiting) -> None:
        lease, granted = waiting
        if self.request(lease, granted):
            granted()


class Lease:
    """What a node needs while its function runs, and lends while it waits for its growth or a retry.

    Args:
        leases: those of the run.
        target: the target to hold exclusively; None: other nodes may work on it meanwhile.
        needs_slot: whether it counts towards the concurrency.

    `is_held` is whether it is granted; `Leases` sets it.
    """

    __slots__ = ("_leases", "_times_lent", "is_held", "needs_slot", "target")

    def __init__(self, leases: Leases, target: Srn | None, *, needs_slot: bool) -> None:
        self.target = target
        self.needs_slot = needs_slot
        self._leases = leases
        self._times_lent = 0
        self.is_held = False

    def request(self, granted: Callable[[], None]) -> bool:
        """Request it; see `Leases.request`."""
        return self._leases.request(self, granted)

    def lend(self) -> None:
        """Release it until `take_again`; to lend a lent lease changes nothing."""
        self._times_lent += 1
        self.give_back()

    async def take_again(self, wait: Callable[[Promise[None]], Awaitable[None]]) -> None:
        """Request it again once everything that it was lent for has ended.

        Args:
            wait: waits for a promise on behalf of the run.
        """
        self._times_lent -= 1
        if self._times_lent:
            return
        granted: Promise[None] = Promise()
        if self.request(lambda: granted.resolve(None)):
            return
        try:
            await wait(granted)
        except asyncio.CancelledError:
            # It stays in the queue, and is released as soon as it is granted.
            granted.on_resolve(self.give_back)
            raise

    def give_back(self) -> None:
        """Release it if it is held."""
        if self.is_held:
            self.is_held = False
            self._leases.release(self)


_Waiting = tuple[Lease, "Callable[[], None]"]
