"""Hearing of the ends of processes: real ones, on real event loops."""

from __future__ import annotations

import asyncio
import os
import subprocess
from functools import partial

import pytest

from ensue.processes.exits import Exits


def started(*lines: str) -> list[subprocess.Popen[bytes]]:
    """Start a shell a line."""
    return [subprocess.Popen(["/bin/sh", "-c", line]) for line in lines]


def test_each_end_is_heard_of_once_it_has_come() -> None:
    """Many processes at once: every callback comes, when its own process can be reaped."""
    processes = started(*(f"exit {number}" for number in range(20)))

    async def scene() -> list[int | None]:
        exits, ended, codes = Exits(asyncio.get_running_loop()), asyncio.Event(), list[int | None]()
        watched: dict[int, int] = {}

        def over(process: subprocess.Popen[bytes]) -> None:
            codes.append(process.poll())
            exits.forget(watched[process.pid])
            if len(codes) == len(processes):
                ended.set()

        for process in processes:
            watched[process.pid] = exits.watch(process.pid, partial(over, process), may_be_brief=False)
        async with asyncio.timeout(300):
            await ended.wait()
        return codes

    assert sorted(asyncio.run(scene()), key=str) == sorted(range(20), key=str)


def test_who_was_forgotten_is_not_called() -> None:
    """Of two that have ended, the first may let the second be forgotten."""
    processes = started("true", "true")

    async def scene() -> list[str]:
        exits, over, called = Exits(asyncio.get_running_loop()), asyncio.Event(), list[str]()
        watched: list[int] = []

        def one_is_enough() -> None:
            called.append("one")
            for pidfd in watched:
                exits.forget(pidfd)
            over.set()

        watched.extend(exits.watch(process.pid, one_is_enough, may_be_brief=False) for process in processes)
        for process in processes:
            process.wait()
        async with asyncio.timeout(300):
            await over.wait()
        return called

    assert asyncio.run(scene()) == ["one"]


def over(count: int) -> list[subprocess.Popen[bytes]]:
    """Start processes that have ended when this returns; nobody has asked for their exit codes yet."""
    processes = started(*["true"] * count)
    for process in processes:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return processes


def watched_briefly(processes: list[subprocess.Popen[bytes]]) -> list[bool]:
    """Return which of them were said to have ended already; none is watched afterwards."""

    async def scene() -> list[bool]:
        exits, answers = Exits(asyncio.get_running_loop()), list[bool]()
        for process in processes:
            watched = exits.watch(process.pid, lambda: None, may_be_brief=True)
            answers.append(watched == -1)
            if watched >= 0:
                exits.forget(watched)
        return answers

    return asyncio.run(scene())


def test_what_has_ended_already_is_said_at_once() -> None:
    """Of a process that is over there is nothing to wait for."""
    processes = over(3)
    assert watched_briefly(processes) == [True] * 3
    assert [process.wait() for process in processes] == [0] * 3


def test_after_a_long_one_the_loop_is_not_kept_waiting() -> None:
    """While commands take their time none is waited for, until they may be brief again."""
    [long], brief = started("exec sleep 600"), over(40)
    try:
        first, *others = watched_briefly([long, *brief])
    finally:
        long.kill()
        for process in (long, *brief):
            process.wait()
    assert not first
    assert not others[0]
    assert others[-1]


def test_closing_it_gives_back_what_it_took() -> None:
    """Nothing stays open, and a loop that is closed already is no fault."""

    async def scene() -> tuple[int, int]:
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count)
        Exits(asyncio.get_running_loop()).close()
        return before, len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count)

    async def left_open() -> Exits:
        return Exits(asyncio.get_running_loop())

    before, after = asyncio.run(scene())
    assert before == after
    asyncio.run(left_open()).close()


def test_what_cannot_be_watched_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system refuses to watch a process, what was opened for that is closed."""

    def unfit(_pid: int) -> int:
        return os.open("/etc/passwd", os.O_RDONLY)

    monkeypatch.setattr(os, "pidfd_open", unfit)

    async def scene() -> tuple[int, int]:
        exits = Exits(asyncio.get_running_loop())
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count)
        with pytest.raises(PermissionError):
            exits.watch(os.getpid(), lambda: None, may_be_brief=False)
        return before, len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count)

    before, after = asyncio.run(scene())
    assert before == after
