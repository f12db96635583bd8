"""The output of a command ends at end of file, here, over SSH and in containers alike, however late that is.

The engine of the container is a stand-in that closes the output with its own process, as real ones do; it
needs no container. `container/test_contract` has the real ones.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.reach.resources.conftest import context_for
from tests.support.stand_in_engine import stand_in_engine

from ensue.core.contracts.connection import Command, Completed
from ensue.core.model.srn import Srn
from ensue.reach.resources import container
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.command_contract import AFTER_THE_SHELL, CommandContract
from ensue.testing.contract_play import Subject

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.core.contracts.connection import Connection
    from ensue.reach.resources.ssh_host.connection import SshConnection


class TestAnEngineThatClosesTheOutput(CommandContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        return Subject(connect=lambda: boxed(tmp_path), folder=str(tmp_path))


class ClockThatJumps(asyncio.SelectorEventLoop):
    """An event loop in which time can pass at once: every timer is then due."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s

    async def one_hour(self) -> None:
        self.ahead_s += 3600.0
        for _ in range(20):
            await asyncio.sleep(0)


def boxed(folder: Path) -> Connection:
    return container.connect(context_for({"engine": stand_in_engine(folder)}, id_="box", type_="container"))


def held_for_an_hour(connection: Connection, folder: Path) -> Completed:
    """Run a command whose child keeps the output open until an hour after the exit, and then writes."""

    async def scene() -> Completed:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ClockThatJumps)
        child = f"{AFTER_THE_SHELL}; echo >gone; read go <go; echo late && echo >flag"
        line = f"mkfifo gone go; ({child}) & echo now"
        try:
            async with asyncio.TaskGroup() as group:
                running = group.create_task(connection.run(Command(shell_line=line, cwd=str(folder))))
                wait = "until [ -p gone ]; do sleep 0.02; done; cat gone"
                await connection.run(Command(shell_line=wait, cwd=str(folder)))
                await loop.one_hour()
                assert not running.done()
                await connection.run(Command(shell_line="echo >go", cwd=str(folder)))
            return running.result()
        finally:
            await connection.close()

    with asyncio.Runner(loop_factory=ClockThatJumps) as runner:
        return runner.run(scene())


def test_here(tmp_path: Path) -> None:
    """No timer closes the pipes of this machine's processes."""
    done = held_for_an_hour(MinionConnection(Srn("minion", "m")), tmp_path)
    assert done.stdout == b"now\nlate\n"
    assert (tmp_path / "flag").exists()


@pytest.mark.openssh
def test_over_ssh(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """No timer closes the session of a command that has exited."""
    done = held_for_an_hour(ssh(sshd.config()), tmp_path)
    assert done.stdout == b"now\nlate\n"
    assert (tmp_path / "flag").exists()


def test_in_a_container(tmp_path: Path) -> None:
    """No timer ends the engine's client, nor does the engine itself close the output."""
    done = held_for_an_hour(boxed(tmp_path), tmp_path)
    assert done.stdout == b"now\nlate\n"
    assert (tmp_path / "flag").exists()
