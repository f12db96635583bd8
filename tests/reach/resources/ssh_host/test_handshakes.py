"""How many logins are under way together, and the limit on open files."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, ClassVar

from ensue.core.contracts.time_limit import limited_by
from ensue.reach.resources.ssh_host import handshakes as module
from ensue.reach.resources.ssh_host.handshakes import Handshakes, handshakes

if TYPE_CHECKING:
    import pytest


def test_a_login_waits_for_a_place() -> None:
    """With two places the third login begins when one of the others has ended."""

    async def scene() -> list[str]:
        steps: list[str] = []
        gate, ends = Handshakes(2), [asyncio.Event() for _ in range(3)]

        async def login(number: int) -> None:
            async with gate.one():
                steps.append(f"begins {number}")
                await ends[number].wait()
            steps.append(f"ended {number}")

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(login(number)) for number in range(3)]
            await asyncio.sleep(0)
            ends[1].set()
            await tasks[1]
            ends[2].set()
            await tasks[2]
            ends[0].set()
        return steps

    assert asyncio.run(scene()) == [
        "begins 0", "begins 1", "ended 1", "begins 2", "ended 2", "ended 0",
    ]  # fmt: skip


def test_a_login_that_hangs_keeps_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the patience another login begins, though the first has not ended; a place is given back once."""

    async def scene() -> int:
        gate, never = Handshakes(1), asyncio.Event()
        begun = 0

        async def login() -> None:
            nonlocal begun
            async with gate.one():
                begun += 1
                if begun == 3:
                    never.set()
                await never.wait()

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(login())
        async with gate.one():
            return begun

    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    assert asyncio.run(scene()) == 3


def test_a_cancelled_login_passes_its_place_on() -> None:
    """Who is cancelled while it waits takes no place with it."""

    async def scene() -> None:
        gate, ends = Handshakes(1), asyncio.Event()

        async def login() -> None:
            async with gate.one():
                await ends.wait()

        first, second = asyncio.create_task(login()), asyncio.create_task(login())
        await asyncio.sleep(0)
        second.cancel()
        ends.set()
        await asyncio.gather(first, second, return_exceptions=True)
        async with asyncio.timeout(300), gate.one():
            pass

    asyncio.run(scene())


def test_a_login_that_is_cancelled_as_it_gets_its_place_gives_it_back() -> None:
    """A place that was passed to a login which is cancelled before it begins is passed on to the next."""

    async def scene() -> list[str]:
        gate, begun = Handshakes(1), list[str]()

        async def login(name: str) -> None:
            async with gate.one():
                begun.append(name)

        async with gate.one():
            tasks = [asyncio.create_task(login(name)) for name in ("second", "third")]
            await asyncio.sleep(0)
        # The second has the place by now, and does not know it yet.
        tasks[0].cancel()
        await asyncio.wait(tasks, timeout=10)
        tasks[1].cancel()
        return begun

    assert asyncio.run(scene()) == ["third"]


def test_one_for_each_event_loop() -> None:
    """All hosts of one event loop share the places; another event loop has its own."""

    async def scene() -> Handshakes:
        assert handshakes() is handshakes()
        return handshakes()

    assert asyncio.run(scene()) is not asyncio.run(scene())


def test_the_limit_on_open_files_is_raised_when_it_is_needed() -> None:
    """A soft limit that is too low becomes the hard one, and one that suffices stays."""
    lines = (
        "import resource",
        "from ensue.reach.resources.ssh_host.handshakes import allow_open_files",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 1000))",
        "allow_open_files(90)",
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))",
        "assert allow_open_files(300)",
        "assert not allow_open_files(3000)",
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(100, 1000)", "(1000, 1000)"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 100


def test_no_login_takes_the_last_files() -> None:
    """Where the limit cannot be raised any more, a login fails before the run itself can open nothing."""
    lines = (
        "import asyncio, errno, resource",
        "from ensue.reach.resources.ssh_host.handshakes import handshakes",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))",
        "async def scene():",
        "    try:",
        "        async with handshakes().one():",
        "            print('begun')",
        "    except OSError as fault:",
        "        print(fault.errno == errno.EMFILE)",
        "asyncio.run(scene())",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_waiting_for_a_place_uses_up_no_time_limit() -> None:
    """The time limit of a waiting call is paused until its login begins."""

    class Limit:
        steps: ClassVar[list[str]] = []

        def pause(self) -> None:
            self.steps.append("paused")
            first_may_end.set()

        def resume(self) -> None:
            self.steps.append("resumed")

    async def scene() -> None:
        gate = Handshakes(1)

        async def first() -> None:
            async with gate.one():
                await first_may_end.wait()

        async def second() -> None:
            with limited_by(Limit()):
                async with gate.one():
                    Limit.steps.append("begins")

        async with asyncio.TaskGroup() as group:
            group.create_task(first())
            group.create_task(second())

    first_may_end = asyncio.Event()
    asyncio.run(scene())
    assert Limit.steps == ["paused", "resumed", "begins"]
