"""The time limit of a call on a target is paused while the target waits for its turn."""

from __future__ import annotations

import asyncio

from ensue.core.contracts.time_limit import not_counted
from ensue.language.targeting.batch import TimeAllowance


def until(allowance: TimeAllowance) -> float | None:
    assert allowance._running is not None
    return allowance._running.when()


def test_waiting_for_a_turn_is_not_counted() -> None:
    """Within it there is no deadline; after it there is as much time left as before."""

    async def scenario() -> None:
        allowance = TimeAllowance(1000.0)
        async with allowance.spent():
            before = until(allowance)
            with not_counted(), not_counted():
                assert until(allowance) is None
            after = until(allowance)
            assert before is not None
            assert after is not None
            assert after >= before

    asyncio.run(scenario())


def test_somebody_elses_turn_ends_after_the_call() -> None:
    """A shared login that goes on when the call has ended changes nothing any more."""

    async def scenario() -> None:
        allowance = TimeAllowance(1000.0)
        async with allowance.spent():
            waiting = not_counted()
            waiting.__enter__()
        waiting.__exit__(None, None, None)
        assert not allowance.is_over

    asyncio.run(scenario())


def test_without_a_limit_nothing_is_counted() -> None:
    """Neither with no limit at all nor outside of calls."""

    async def scenario() -> None:
        with not_counted():
            pass
        async with TimeAllowance(None).spent():
            with not_counted():
                pass

    asyncio.run(scenario())


def test_the_time_of_two_parts_is_one_allowance() -> None:
    """What the first part used is gone for the second; none left ends it at once."""

    async def scenario() -> bool:
        allowance = TimeAllowance(0.0)
        try:
            async with allowance.spent():
                await asyncio.Event().wait()
        except TimeoutError:
            return allowance.is_over
        return False

    assert asyncio.run(scenario())
