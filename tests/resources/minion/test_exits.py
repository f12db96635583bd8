"""Hearing of the ends of processes: real ones, on real event loops."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import weakref
from functools import partial

from ensue.resources.minion.exits import exits_of


def started(*lines: str) -> list[subprocess.Popen[bytes]]:
    """Start a shell a line."""
    return [subprocess.Popen(["/bin/sh", "-c", line]) for line in lines]


def test_each_end_is_heard_of_once_it_has_come() -> None:
    """Many processes at once: every callback comes, when its own process can be reaped."""
    processes = started(*(f"exit {number}" for number in range(20)))

    async def scene() -> list[int | None]:
        exits, ended, codes = exits_of(asyncio.get_running_loop()), asyncio.Event(), list[int | None]()
        watched: dict[int, int] = {}

        def over(process: subprocess.Popen[bytes]) -> None:
            codes.append(process.poll())
            exits.forget(watched[process.pid])
            if len(codes) == len(processes):
                ended.set()

        for process in processes:
            watched[process.pid] = exits.watch(process.pid, partial(over, process))
        async with asyncio.timeout(30):
            await ended.wait()
        return codes

    assert sorted(asyncio.run(scene()), key=str) == sorted(range(20), key=str)


def test_who_was_forgotten_is_not_called() -> None:
    """Of two that have ended, the first may let the second be forgotten."""
    processes = started("true", "true")

    async def scene() -> list[str]:
        exits, over, called = exits_of(asyncio.get_running_loop()), asyncio.Event(), list[str]()
        watched: list[int] = []

        def one_is_enough() -> None:
            called.append("one")
            for pidfd in watched:
                exits.forget(pidfd)
            over.set()

        watched.extend(exits.watch(process.pid, one_is_enough) for process in processes)
        for process in processes:
            process.wait()
        async with asyncio.timeout(30):
            await over.wait()
        return called

    assert asyncio.run(scene()) == ["one"]


def test_a_loop_that_is_gone_takes_it_along() -> None:
    """Nothing is kept for an event loop that is over."""

    async def scene() -> weakref.ref[object]:
        return weakref.ref(exits_of(asyncio.get_running_loop()))

    gone = asyncio.run(scene())
    gc.collect()
    assert gone() is None
