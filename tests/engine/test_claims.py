"""Who may call a function now: slots and targets, granted, lent and given back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ensue.engine.claims import Claim, Claims, Hold
from ensue.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.engine.promise import Promise

WEB = Srn.parse("minion:web")
DB = Srn.parse("minion:db")


class Granted:
    """The names of the claims that were granted, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def claim(self, name: str, target: Srn | None = None, *, slot: bool = True) -> Claim:
        return Claim(target=target, slot=slot, grant=lambda: self.names.append(name))


async def _wait(promise: Promise[None]) -> None:
    await promise.wait()


def _lent(claims: Claims, claim: Claim) -> Hold:
    claims.request(claim)
    hold = Hold(claims, claim)
    hold.lend()
    return hold


def test_slots_are_granted_in_the_order_of_the_requests() -> None:
    """No more claims with a slot are held at once than there are slots; one without a slot needs none."""
    granted = Granted()
    claims = Claims(2)
    held = [granted.claim(name) for name in "abcd"]
    for claim in held:
        claims.request(claim)
    claims.request(granted.claim("free", slot=False))
    assert granted.names == ["a", "b", "free"]
    claims.release(held[1])
    assert granted.names == ["a", "b", "free", "c"]
    claims.release(held[0])
    assert granted.names == ["a", "b", "free", "c", "d"]


def test_a_target_has_one_claim_at_a_time() -> None:
    """Claims on one target follow each other; those on another target, or on none, go on meanwhile."""
    granted = Granted()
    claims = Claims(9)
    held = [granted.claim("a", WEB), granted.claim("b", WEB), granted.claim("c", WEB)]
    for claim in [*held, granted.claim("db", DB), granted.claim("any")]:
        claims.request(claim)
    assert granted.names == ["a", "db", "any"]
    claims.release(held[0])
    assert not claims.is_free(WEB)
    claims.release(held[1])
    claims.release(held[2])
    assert granted.names == ["a", "db", "any", "b", "c"]
    assert claims.is_free(WEB)
    assert not claims.is_free(DB)


def test_a_claim_holds_no_target_while_it_waits_for_a_slot() -> None:
    """A claim is granted whole or not at all."""
    granted = Granted()
    claims = Claims(1)
    first = granted.claim("first")
    claims.request(first)
    claims.request(granted.claim("both", WEB))
    claims.request(granted.claim("target alone", WEB, slot=False))
    assert granted.names == ["first", "target alone"]
    claims.release(first)
    assert granted.names == ["first", "target alone"]


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_lent_is_taken_again_when_it_is_free(times: int) -> None:
    """A hold that is lent several times is claimed anew once, after the last of them is over."""

    async def lend() -> None:
        granted = Granted()
        claims = Claims(1)
        hold = _lent(claims, granted.claim("own", WEB))
        for _ in range(times - 1):
            hold.lend()
        guest = granted.claim("guest", WEB)
        claims.request(guest)
        again = [asyncio.create_task(hold.take_again(_wait)) for _ in range(times)]
        await asyncio.sleep(0)
        assert granted.names == ["own", "guest"]
        assert [task.done() for task in again] == [True] * (times - 1) + [False]
        claims.release(guest)
        await asyncio.gather(*again)
        last = granted.claim("last", WEB)
        claims.request(last)
        assert granted.names == ["own", "guest"]
        hold.give_back()
        hold.give_back()
        assert granted.names == ["own", "guest", "last"]
        claims.request(granted.claim("beyond", DB))
        assert granted.names == ["own", "guest", "last"]

    asyncio.run(lend())


async def _cancel_before_the_grant(release_guest: Callable[[], None], task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release_guest()


async def _cancel_after_the_grant(release_guest: Callable[[], None], task: asyncio.Task[None]) -> None:
    release_guest()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("cancel", [_cancel_before_the_grant, _cancel_after_the_grant])
def test_a_node_that_is_cancelled_while_it_takes_its_hold_again_keeps_nothing(
    cancel: Callable[[Callable[[], None], asyncio.Task[None]], Awaitable[None]],
) -> None:
    """Slot and target go to the next one, whether the cancellation comes before the grant or just after."""

    async def lend() -> None:
        granted = Granted()
        claims = Claims(1)
        hold = _lent(claims, granted.claim("own", WEB))
        guest = granted.claim("guest", WEB)
        claims.request(guest)
        task = asyncio.create_task(hold.take_again(_wait))
        await asyncio.sleep(0)
        await cancel(lambda: claims.release(guest), task)
        hold.give_back()
        claims.request(granted.claim("next", WEB))
        assert granted.names == ["own", "guest", "next"]

    asyncio.run(lend())
