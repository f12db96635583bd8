"""Who may call a function now: so many at once altogether, and one at a time on each target.

A claim is granted whole or not at all, so that nobody holds a target while it waits for a slot.
Claims on one thing are granted first come, first served.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from ensue.engine.promise import Promise

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.model.srn import Srn


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants before it goes on.

    Args:
        target: the target to have alone; None: others may work on it meanwhile.
        slot: whether it counts towards the concurrency.
        grant: called when it has both; must not call back at once.
    """

    target: Srn | None
    slot: bool
    grant: Callable[[], None]


class Claims:
    """All claims of one run.

    Args:
        slots: how many claims with a slot may be held at once.
    """

    def __init__(self, slots: int) -> None:
        self._free_slots = max(1, slots)
        self._held_targets: set[Srn] = set()
        self._waiting_for_slot: deque[Claim] = deque()
        self._waiting_for_target: dict[Srn, deque[Claim]] = {}

    def is_free(self, target: Srn) -> bool:
        """Say whether nobody has a target to itself, or waits to."""
        if not self._held_targets:  # by far the most frequent case, and a resource name is slow to hash
            return True
        return target not in self._held_targets and target not in self._waiting_for_target

    def request(self, claim: Claim) -> None:
        """Grant a claim now, or as soon as what it needs is given back."""
        if claim.target is not None and claim.target in self._held_targets:
            self._waiting_for_target.setdefault(claim.target, deque()).append(claim)
        elif claim.slot and not self._free_slots:
            self._waiting_for_slot.append(claim)
        else:
            self._take(claim)

    def release(self, claim: Claim) -> None:
        """Give back what a granted claim holds, and pass it on."""
        if claim.slot:
            self._free_slots += 1
        if claim.target is not None:
            self._held_targets.discard(claim.target)
            self._pass_on_target(claim.target)
        while self._free_slots and self._waiting_for_slot:
            self.request(self._waiting_for_slot.popleft())

    def _take(self, claim: Claim) -> None:
        if claim.slot:
            self._free_slots -= 1
        if claim.target is not None:
            self._held_targets.add(claim.target)
        claim.grant()

    def _pass_on_target(self, target: Srn) -> None:
        waiting = self._waiting_for_target.get(target)
        if waiting is None:
            return
        following = waiting.popleft()
        if not waiting:
            del self._waiting_for_target[target]
        self.request(following)


class Hold:
    """What one running node holds. It is lent out while the node waits for its growth or a retry.

    Args:
        claims: where it was claimed.
        claim: what was granted.
    """

    __slots__ = ("_claim", "_claims", "_held", "_times_lent")

    def __init__(self, claims: Claims, claim: Claim) -> None:
        self._claims = claims
        self._claim = claim
        self._times_lent = 0
        self._held = True

    def lend(self) -> None:
        """Give it back for a while; a second time while it is lent changes nothing."""
        self._times_lent += 1
        self.give_back()

    async def take_again(self, wait: Callable[[Promise[None]], Awaitable[None]]) -> None:
        """Claim it anew once all that it was lent for is over.

        Args:
            wait: waits for a promise on behalf of the run.
        """
        self._times_lent -= 1
        if self._times_lent:
            return
        granted: Promise[None] = Promise()
        again = Claim(target=self._claim.target, slot=self._claim.slot, grant=lambda: granted.resolve(None))
        self._claims.request(again)
        try:
            await wait(granted)
        except asyncio.CancelledError:
            granted.on_resolve(lambda: self._claims.release(again))
            raise
        self._held = True

    def give_back(self) -> None:
        """Give it back, if it is held."""
        if self._held:
            self._held = False
            self._claims.release(self._claim)
