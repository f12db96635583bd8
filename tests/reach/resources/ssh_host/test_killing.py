"""Ending commands that the server's own signals do not reach, where others hold its sessions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from typing import TYPE_CHECKING

import pytest
from tests.support.accounts import Account, needs_root
from tests.support.sshd import running_sshd

from ensue.core.contracts.connection import Command
from ensue.testing.command_contract import LONG_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = [pytest.mark.openssh, needs_root]


class _Begun:
    """An `OutputListener` that counts the commands that have begun.

    Args:
        expected: how many `all_begun` waits for.
    """

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self.all_begun = asyncio.Event()

    def output(self, data: bytes) -> None:
        self._missing -= data.count(b"\n")
        if self._missing <= 0:
            self.all_begun.set()

    def errors(self, data: bytes) -> None:
        pass


def assert_ends(pids: Path, count: int) -> None:
    """Wait until the processes of a file of process ids are gone; fail after some time."""
    numbers = pids.read_text().split()
    assert len(numbers) == count
    for number in numbers:
        with contextlib.suppress(ProcessLookupError), os.fdopen(os.pidfd_open(int(number))) as process:
            assert select.select([process], [], [], 10)[0], "a command still runs"


async def cancelled_at_once(connection: SshConnection, at_once: int, pids: Path, *, first: str = "") -> None:
    """Cancel ten commands of which some run; they are gone, and the next command runs.

    Args:
        connection: the host.
        at_once: how many run.
        pids: the file that they write their process ids to.
        first: what they do first.
    """
    begun = _Begun(at_once)
    command = Command(shell_line=f"{first}\necho $$ >>{pids}; echo; exec sleep {LONG_S}", listener=begun)
    try:
        await connection.run(Command(argv=["true"]))
        async with asyncio.timeout(LONG_S):
            running = [asyncio.ensure_future(connection.run(command)) for _ in range(10)]
            await begun.all_begun.wait()
            for task in running:
                task.cancel()
            await asyncio.wait(running)
        assert all(task.cancelled() for task in running)
        await asyncio.to_thread(assert_ends, pids, at_once)
        assert (await connection.run(Command(argv=["echo", "next"]))).stdout == b"next\n"
    finally:
        await connection.close()


@pytest.mark.parametrize(("most", "at_once"), [(10, 9), (3, 3), (1, 1)])
def test_commands_of_root_cancelled_at_once(
    ssh: Callable[..., SshConnection], most: int, at_once: int, tmp_path: Path
) -> None:
    """They are ended, even if they hold all sessions that the server allows: it does not signal for root."""
    with running_sshd(tmp_path / "sshd", user="root", options={"MaxSessions": str(most)}) as server:
        asyncio.run(cancelled_at_once(ssh(server.config()), at_once, tmp_path / "pids"))


def test_commands_of_sudo_cancelled_at_once(
    account: Account, ssh: Callable[..., SshConnection], tmp_path: Path
) -> None:
    """They are ended, even if they hold all sessions and ignore SIGTERM, which sudo would pass on."""
    account.may_sudo("NOPASSWD: ALL")
    options = {"PasswordAuthentication": "yes", "MaxSessions": "3"}
    with running_sshd(tmp_path / "sshd", user=account.name, options=options) as server:
        connection = ssh(server.config(**account.login, sudo=True))
        asyncio.run(cancelled_at_once(connection, 3, tmp_path / "pids", first="trap '' TERM"))
