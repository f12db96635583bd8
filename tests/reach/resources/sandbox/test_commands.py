"""Commands in a sandbox: bytes both ways, exit codes, signals, and the end of a channel."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import asyncssh

BYTES = bytes(range(256)) * 4096 * 5
"""Five megabytes of every byte there is."""


def within(running: Any, scenario: Callable[[asyncssh.SSHClientConnection], Awaitable[None]]) -> None:
    """Run a scenario with a connection to a sandbox."""

    async def connected() -> None:
        async with running.connect() as connection:
            await scenario(connection)

    asyncio.run(connected())


def holders(marker: str) -> int:
    """Return how many processes have a text in their arguments."""
    count = 0
    for process in Path("/proc").iterdir():
        try:
            count += process.name.isdigit() and marker.encode() in (process / "cmdline").read_bytes()
        except OSError:
            continue
    return count


def new_marker() -> str:
    """Return a number of seconds that nobody else sleeps."""
    return f"600.{os.getpid()}{random.randrange(10**6)}"  # noqa: S311 - a name, no secret


def test_input_and_output_are_passed_unchanged(running: Any) -> None:
    """Five megabytes of every byte come back as they were."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        done = await connection.run("cat", input=BYTES, encoding=None)
        assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(BYTES).digest()

    within(running, scenario)


def test_output_and_error_output_are_apart(running: Any) -> None:
    """Each arrives on its own, whole."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        done = await connection.run(r"printf 'out\0'; printf 'err\377' >&2", encoding=None)
        assert (done.stdout, done.stderr) == (b"out\0", b"err\xff")

    within(running, scenario)


@pytest.mark.parametrize("code", [0, 1, 7, 126, 127, 255])
def test_exit_codes_arrive(running: Any, code: int) -> None:
    """The client gets the exit code of the command."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        done = await connection.run(f"exit {code}")
        assert done.exit_status == code

    within(running, scenario)


def test_the_signal_that_ended_a_command_arrives(running: Any) -> None:
    """As an SSH exit signal."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        done = await connection.run("kill -USR1 $$")
        assert done.exit_signal is not None
        assert done.exit_signal[0] == "USR1"

    within(running, scenario)


def test_a_signal_is_passed_to_the_whole_group(running: Any) -> None:
    """TERM from the client reaches the shell and its children."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        child = "trap 'echo child; exit 0' TERM; echo ready; while :; do :; done"
        line = f"trap 'wait; echo parent; exit 3' TERM; sh -c \"{child}\" & wait"
        async with connection.create_process(line) as process:
            assert await process.stdout.readline() == "ready\n"
            process.terminate()
            done = await process.wait()
        assert (done.stdout, done.exit_status) == ("child\nparent\n", 3)

    within(running, scenario)


def test_a_closed_channel_ends_the_command_and_its_children(running: Any) -> None:
    """Nothing goes on that nobody waits for."""
    marker = new_marker()

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        process = await connection.create_process(f"sleep {marker} & echo ready; sleep {marker}")
        assert await process.stdout.readline() == "ready\n"
        async with asyncio.timeout(300):
            # A process that is just being executed has no arguments yet.
            while holders(marker) < 2:
                await connection.run("true")
        process.close()
        await process.wait_closed()
        # A later command of the same connection is served after the close was.
        await connection.run("true")
        await ended(marker)

    within(running, scenario)


async def ended(marker: str) -> None:
    """Wait until no process has a text in its arguments any more, by waiting for each one that does."""
    for entry in list(Path("/proc").iterdir()):  # noqa: ASYNC240 - procfs does not block
        try:
            if not entry.name.isdigit() or marker.encode() not in (entry / "cmdline").read_bytes():
                continue
            handle = os.pidfd_open(int(entry.name))
        except OSError:
            continue
        loop = asyncio.get_running_loop()
        gone = loop.create_future()
        loop.add_reader(handle, gone.set_result, None)
        async with asyncio.timeout(300):
            await gone
        loop.remove_reader(handle)
        os.close(handle)


def test_what_a_command_leaves_behind_on_purpose_goes_on(running: Any) -> None:
    """A daemon that has let go of the channel survives it, as under any SSH server."""
    marker = new_marker()

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        await connection.run(f"sleep {marker} </dev/null >/dev/null 2>&1 &")
        assert holders(marker) == 1
        await connection.run(f"pkill -f 'sleep {marker}' || true")

    within(running, scenario)


def test_a_client_that_does_not_read_stops_the_command(running: Any) -> None:
    """A gigabyte is not gathered in the server: the command waits until it is read."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        line = "head -c 1000000000 /dev/zero; echo done >&2"
        process = await connection.create_process(line, encoding=None)
        assert await process.stdout.read(100_000)
        server = running.record.process.pid
        # The other session is served all the same.
        assert (await connection.run("echo alive")).stdout == "alive\n"
        assert resident_bytes_of_family(server) < 400_000_000
        process.close()

    within(running, scenario)


def resident_bytes_of_family(keeper: int) -> int:
    """Return the memory of a keeper and its children."""
    pids = [keeper]
    for task in Path(f"/proc/{keeper}/task").iterdir():
        pids += map(int, (task / "children").read_text().split())
    pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def test_a_command_that_closes_its_input_does_not_hang(running: Any) -> None:
    """What is sent to it anyway is thrown away."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        async with asyncio.timeout(300):
            process = await connection.create_process("exec <&-; echo closed", encoding=None)
            # It may have ended before anything was sent.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(BYTES)
            done = await process.wait()
        assert done.stdout == b"closed\n"

    within(running, scenario)


def test_without_a_command_the_input_is_read_as_a_script(running: Any) -> None:
    """A shell without a terminal."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        done = await connection.run(input="echo one\necho two\nexit 4\n")
        assert (done.stdout, done.exit_status) == ("one\ntwo\n", 4)

    within(running, scenario)


def test_requested_variables_are_set_and_ours_win(running: Any) -> None:
    """A client's variables come on top, but it cannot lie about the isolation."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        asked = {"COLOUR": "blue", "ENSUE_ISOLATION": "other"}
        done = await connection.run('echo "$COLOUR $ENSUE_ISOLATION $PATH"', env=asked)
        colour, isolation, path = str(done.stdout).split()
        assert (colour, isolation) == ("blue", running.record.isolation)
        assert "/usr/sbin" in path.split(":")

    within(running, scenario)


def test_many_sessions_of_one_connection_run_beside_each_other(running: Any) -> None:
    """Thirty commands that wait for one another all end."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        folder = f"$ENSUE_ROOT/root/meeting-{os.getpid()}"
        wait = f'while [ "$(ls "{folder}" | wc -l)" -lt 30 ]; do :; done'
        line = f'mkdir -p "{folder}"; touch "{folder}/$NUMBER"; {wait}'
        async with asyncio.timeout(300), asyncio.TaskGroup() as group:
            for number in range(30):
                group.create_task(connection.run(line, env={"NUMBER": str(number)}, check=True))

    within(running, scenario)


def test_it_passes_connections_on(running: Any) -> None:
    """A sandbox serves as a jump host, to itself for example."""

    async def scenario(connection: asyncssh.SSHClientConnection) -> None:
        async with running.connect(tunnel=connection) as beyond:
            assert (await beyond.run("echo beyond")).stdout == "beyond\n"

    within(running, scenario)
