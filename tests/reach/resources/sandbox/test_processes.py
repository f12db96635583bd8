"""Telling one process from another, and ending exactly one."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ensue.reach.resources.sandbox.processes import end, identify, is_alive

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture
def sleeper() -> Generator[subprocess.Popen[bytes]]:
    """A process that waits to be ended."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_an_identity_is_of_one_process_only(sleeper: subprocess.Popen[bytes]) -> None:
    """The same id with another start time, or of another boot, is another process."""
    identity = identify(sleeper.pid)

    assert identity is not None
    assert is_alive(identity)
    assert not is_alive(replace(identity, start_ticks=identity.start_ticks + 1))
    assert not is_alive(replace(identity, boot_id="another"))


def test_the_remains_of_a_process_are_not_alive(sleeper: subprocess.Popen[bytes]) -> None:
    """A process that has ended and was not waited for is gone."""
    identity = identify(sleeper.pid)
    assert identity is not None

    asyncio.run(end(identity))

    assert not is_alive(identity)
    assert identify(sleeper.pid) is None
    sleeper.wait()
    asyncio.run(end(identity))


def test_another_process_with_the_id_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    """Ending goes by identity, not by id."""
    identity = identify(sleeper.pid)
    assert identity is not None

    asyncio.run(end(replace(identity, start_ticks=1)))

    assert sleeper.poll() is None


def test_a_process_that_ignores_the_request_is_killed() -> None:
    """SIGTERM first, then SIGKILL."""
    line = "trap '' TERM; echo ready; while :; do sleep 600; done"
    with subprocess.Popen(["sh", "-c", line], stdout=subprocess.PIPE, start_new_session=True) as stubborn:
        assert stubborn.stdout is not None
        stubborn.stdout.readline()
        identity = identify(stubborn.pid)
        assert identity is not None
        asyncio.run(end(identity))
        assert not is_alive(identity)
        os.killpg(stubborn.pid, 9)
