"""Works on several paths of a target at a time.

A target that is far away answers many requests in the time of one, and writes that wait for the same disk
share what they cost.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

T = TypeVar("T")
R = TypeVar("R")

MOST_AT_ONCE: Final = 16


async def results_of(work: Callable[[T], Awaitable[R]], items: Iterable[T]) -> list[R]:
    """Do the same work for many items, some of them at the same time.

    Args:
        work: the work for one item.
        items: the items.

    Returns:
        The result for each item, in the order of the items.

    Raises:
        Exception: what the first failing work raises; no further work begins.
    """
    listed = list(items)
    waiting = iter(range(len(listed)))
    results: dict[int, R] = {}

    async def take_items() -> None:
        for place in waiting:
            results[place] = await work(listed[place])

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(MOST_AT_ONCE, len(listed))):
                group.create_task(take_items())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[place] for place in range(len(listed))]
