"""Leases: slots and targets are granted, lent and given back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ensue.core.model.srn import Srn
from ensue.engine.leases import Lease, Leases

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.engine.promise import Promise

WEB = Srn.parse("minion:web")
DB = Srn.parse("minion:db")


class Granted:
    """Requests leases, and has the names of those that were granted, in order."""

    def __init__(self, slots: int) -> None:
        self.leases = Leases(slots)
        self.names: list[str] = []

    def request(self, name: str, target: Srn | None = None, *, needs_slot: bool = True) -> Lease:
        lease = Lease(self.leases, target, needs_slot=needs_slot)
        if lease.request(lambda: self.names.append(name)):
            self.names.append(name)
        return lease


async def _wait(promise: Promise[None]) -> None:
    await promise.wait()


def test_slots_are_granted_in_the_order_of_the_requests() -> None:
    """No more leases with a slot are held at once than there are slots; one without a slot needs none."""
    granted = Granted(2)
    first, second, third, _ = (granted.request(name) for name in "abcd")
    granted.request("free", needs_slot=False)
    assert granted.names == ["a", "b", "free"]
    second.give_back()
    assert granted.names == ["a", "b", "free", "c"]
    first.give_back()
    assert granted.names == ["a", "b", "free", "c", "d"]
    assert third.is_held


def test_a_target_has_one_lease_at_a_time() -> None:
    """Leases on one target follow each other; those on another target, or on none, do not wait for them."""
    granted = Granted(9)
    first, second, third = (granted.request(name, WEB) for name in "abc")
    granted.request("db", DB)
    granted.request("any")
    assert granted.names == ["a", "db", "any"]
    first.give_back()
    assert granted.names == ["a", "db", "any", "b"]
    assert not granted.leases.is_free(WEB)
    second.give_back()
    third.give_back()
    assert granted.names == ["a", "db", "any", "b", "c"]
    assert granted.leases.is_free(WEB)
    assert not granted.leases.is_free(DB)


def test_no_target_is_held_while_a_slot_is_waited_for() -> None:
    """A lease is granted whole or not at all."""
    granted = Granted(1)
    first = granted.request("first")
    both = granted.request("both", WEB)
    alone = granted.request("target alone", WEB, needs_slot=False)
    first.give_back()
    assert granted.names == ["first", "target alone"]
    assert not both.is_held
    alone.give_back()
    assert granted.names == ["first", "target alone", "both"]


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_lent_is_taken_again_when_it_is_free(times: int) -> None:
    """A lease that is lent several times is requested anew once, after the last of them is over."""

    async def lend() -> None:
        granted = Granted(1)
        own = granted.request("own", WEB)
        for _ in range(times):
            own.lend()
        guest = granted.request("guest", WEB)
        again = [asyncio.create_task(own.take_again(_wait)) for _ in range(times)]
        await asyncio.sleep(0)
        assert granted.names == ["own", "guest"]
        assert [task.done() for task in again] == [True] * (times - 1) + [False]
        guest.give_back()
        await asyncio.gather(*again)
        granted.request("last", WEB)
        assert granted.names == ["own", "guest"]
        own.give_back()
        own.give_back()
        granted.request("beyond", DB)
        assert granted.names == ["own", "guest", "last"]

    asyncio.run(lend())


async def _cancelled(task: asyncio.Task[None], own: Lease) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    own.give_back()  # As every node does at its end.


async def _cancel_before_the_grant(task: asyncio.Task[None], own: Lease, guest: Lease) -> None:
    await _cancelled(task, own)
    guest.give_back()


async def _cancel_after_the_grant(task: asyncio.Task[None], own: Lease, guest: Lease) -> None:
    guest.give_back()
    await _cancelled(task, own)


@pytest.mark.parametrize("cancel", [_cancel_before_the_grant, _cancel_after_the_grant])
def test_a_node_that_is_cancelled_while_it_takes_its_lease_again_keeps_nothing(
    cancel: Callable[[asyncio.Task[None], Lease, Lease], Awaitable[None]],
) -> None:
    """Slot and target go to the next one, whether the cancellation comes before the grant or just after."""

    async def lend() -> None:
        granted = Granted(1)
        own = granted.request("own", WEB)
        own.lend()
        guest = granted.request("guest", WEB)
        task = asyncio.create_task(own.take_again(_wait))
        await asyncio.sleep(0)
        await cancel(task, own, guest)
        granted.request("next", WEB)
        assert granted.names == ["own", "guest", "next"]

    asyncio.run(lend())
