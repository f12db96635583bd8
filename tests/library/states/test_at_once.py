"""Work on several paths at a time."""

from __future__ import annotations

import asyncio

import pytest

from ensue.core.errors import StateFailedError
from ensue.library.states.file.at_once import MOST_AT_ONCE, results_of

MANY = 3 * MOST_AT_ONCE


def test_results_are_in_the_order_of_the_items() -> None:
    """They do not depend on which work ends first, and a limited number of items is worked on at a time."""
    running: set[int] = set()
    most = 0

    async def work(number: int) -> int:
        nonlocal most
        running.add(number)
        most = max(most, len(running))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        running.remove(number)
        return number * number

    assert asyncio.run(results_of(work, range(MANY))) == [number * number for number in range(MANY)]
    assert most == MOST_AT_ONCE


def test_no_items() -> None:
    """Without items there are no results."""

    async def work(number: int) -> int:
        raise AssertionError(number)

    assert asyncio.run(results_of(work, [])) == []


def test_a_failure_ends_the_work() -> None:
    """The error of an item is raised as it is, and no further work begins."""
    begun: list[int] = []

    async def work(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(0)
        raise StateFailedError(str(number))

    with pytest.raises(StateFailedError, match=r"^0$"):
        asyncio.run(results_of(work, range(MANY)))
    assert begun == list(range(MOST_AT_ONCE))
