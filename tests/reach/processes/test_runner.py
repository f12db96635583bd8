"""Processes of this machine: what the contract cannot ask of every target."""

from __future__ import annotations

import asyncio
import gc
import os
import pwd
import select
import signal
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import AuthenticationError, RemoteError, RemoteTimeoutError
from ensue.core.model.srn import Srn
from ensue.reach.processes.runner import Launch, OutputBoundError, run_once
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Generator

TARGET = MinionConnection(Srn("minion", "m"))


def open_files() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_descriptor_is_left_open() -> None:
    """After good, failing, timed-out and impossible commands as many files are open as before."""

    async def scene() -> int:
        await TARGET.run(Command(shell_line="true"))
        before = open_files()
        for _ in range(20):
            await TARGET.run(Command(shell_line="cat; exit 1", stdin=b"x"))
            await TARGET.run(Command(argv=["/nonexistent/program"]))
            with pytest.raises(RemoteTimeoutError):
                await TARGET.run(Command(shell_line="sleep 60", timeout_s=0.01))
        return open_files() - before

    # Event loops of earlier tests give back theirs now, not meanwhile.
    gc.collect()
    assert asyncio.run(scene()) == 0


def test_a_command_has_a_session_of_its_own() -> None:
    """A signal from the terminal does not reach it, and it cannot ask the terminal for a password."""
    done = asyncio.run(
        TARGET.run(Command(shell_line="ps -o pgid= -o sid= -p $$; (: < /dev/tty) 2>/dev/null || echo none"))
    )
    group, session, tty = done.stdout.split()
    assert group == session == str(done.pid).encode()
    assert tty == b"none"


def test_sigkill_follows_a_term_that_is_ignored() -> None:
    """A process that ignores SIGTERM lives for the grace and no longer."""
    started = time.monotonic()
    launch = Launch(
        argv=[b"/bin/sh", b"-c", b"trap '' TERM; sleep 600; sleep 600"],
        cwd="/",
        env={},
        timeout_s=0.1,
        end_grace_s=0.2,
    )
    with pytest.raises(TimeoutError):
        asyncio.run(run_once(launch))
    assert time.monotonic() - started < 60


def test_what_a_program_cannot_be() -> None:
    """A file without the right to execute ends with 126, as in a shell."""
    assert asyncio.run(TARGET.run(Command(argv=["/etc/passwd"]))).returncode == 126
    assert asyncio.run(TARGET.run(Command(argv=["/etc"]))).returncode == 126


def test_too_long_an_argument_is_a_value() -> None:
    """What the system takes for too long ends with 126."""
    assert asyncio.run(TARGET.run(Command(argv=["true", "x" * 10_000_000]))).returncode == 126


def test_another_user(tmp_path: Path) -> None:
    """Root becomes another user, with groups, home and name; for other users that is an error."""
    command = Command(shell_line="id -un; id -gn; echo $HOME $USER $LOGNAME; id -G", user="nobody", cwd="/")
    if os.geteuid():
        with pytest.raises(AuthenticationError, match="cannot run as `nobody`"):
            asyncio.run(TARGET.run(command))
        return
    lines = asyncio.run(TARGET.run(command)).stdout.decode().splitlines()
    account = pwd.getpwnam("nobody")
    assert lines[0] == "nobody"
    assert lines[2].split() == [account.pw_dir, "nobody", "nobody"]
    assert lines[3] == str(account.pw_gid)
    assert tmp_path.exists()


def test_children_of_children_are_ended_too(tmp_path: Path) -> None:
    """A whole tree of processes is gone after a timeout."""
    line = f"sh -c 'sh -c \"echo \\$\\$ > {tmp_path}/pid; exec sleep 300\"'; true"
    with pytest.raises(RemoteTimeoutError):
        asyncio.run(TARGET.run(Command(shell_line=line, timeout_s=0.5)))
    pid = int((tmp_path / "pid").read_text())
    asyncio.run(
        TARGET.run(Command(shell_line=f"while kill -0 {pid} 2>/dev/null; do sleep 0.02; done", timeout_s=10))
    )
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIG_DFL)


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system is out of processes or files, the error says so, without a traceback."""

    def refuse() -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe", refuse)
    with pytest.raises(RemoteError, match="cannot start a process: Too many open files"):
        asyncio.run(TARGET.run(Command(shell_line="true")))


def test_what_runs_outlives_the_closing_of_its_connection() -> None:
    """A command that runs when its connection is closed ends as any other, and nothing stays open then."""

    async def scene() -> tuple[Completed, int]:
        connection = MinionConnection(Srn("minion", "m"))
        before = open_files()
        running = asyncio.ensure_future(connection.run(Command(shell_line="sleep 0.1; echo done")))
        await asyncio.sleep(0)
        await connection.close()
        async with asyncio.timeout(300):
            done = await running
        return done, open_files() - before

    done, left = asyncio.run(scene())
    assert (done.returncode, done.stdout, left) == (0, b"done\n", 0)


def test_what_runs_can_be_ended_after_its_connection_was_closed() -> None:
    """Cancelling such a command ends it at once."""

    async def scene() -> float:
        connection = MinionConnection(Srn("minion", "m"))
        running = asyncio.ensure_future(connection.run(Command(shell_line="exec sleep 600")))
        await asyncio.sleep(0)
        await connection.close()
        started = time.monotonic()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return time.monotonic() - started

    assert asyncio.run(scene()) < 60


def test_many_brief_commands_leave_the_loop_its_turns() -> None:
    """Who runs one command after the other that is over at once does not stop everything else."""

    async def scene() -> int:
        turns = 0

        async def commands() -> None:
            for _ in range(64):
                await TARGET.run(Command(shell_line="true"))

        running = asyncio.ensure_future(commands())
        while not running.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(scene()) >= 6


@contextmanager
def another_loop() -> Generator[asyncio.AbstractEventLoop]:
    """Have an event loop turn in another thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_two_event_loops_share_a_connection() -> None:
    """Commands of two loops in turn open no more than those of the first turn did; closing gives all back."""

    async def scene(other: asyncio.AbstractEventLoop) -> tuple[int, int]:
        connection = MinionConnection(Srn("minion", "m"))

        async def both() -> int:
            await connection.run(Command(shell_line="true"))
            there = asyncio.run_coroutine_threadsafe(connection.run(Command(shell_line="true")), other)
            await asyncio.wrap_future(there)
            return open_files()

        nothing = open_files()
        first = await both()
        for _ in range(5):
            await both()
        growth = await both() - first
        await connection.close()
        # One more turn of the other loop: it closes what is its own.
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asyncio.sleep(0), other))
        return growth, open_files() - nothing

    gc.collect()
    with another_loop() as other:
        assert asyncio.run(scene(other)) == (0, 0)


def test_who_is_cancelled_at_the_start_leaves_nothing_behind() -> None:
    """Whenever a command is cancelled, all that it started has ended, and nothing is left to be reaped."""

    async def scene() -> None:
        for turns in range(12):
            command = Command(
                shell_line="sleep 600 & sleep 600", env={"OF_A_CANCELLED_COMMAND": str(os.getpid())}
            )
            running = asyncio.ensure_future(TARGET.run(command))
            for _ in range(turns):
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    unreaped_before = _unreaped()
    asyncio.run(scene())
    mark = f"OF_A_CANCELLED_COMMAND={os.getpid()}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and mark in _environment_of(folder):
            assert _has_ended(int(folder.name)), folder
    assert _unreaped() <= unreaped_before


def _has_ended(pid: int) -> bool:
    """Say whether a process that was sent SIGKILL a moment ago ends; it would sleep for ten minutes."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def _unreaped() -> set[int]:
    """Return the children of this process that have ended and wait to be asked how."""
    children: set[int] = set()
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdecimal():
                state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:2]
                if state == b"Z" and int(parent) == os.getpid():
                    children.add(int(folder.name))
    return children


def _environment_of(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # It has ended meanwhile, or is another user's.
        return b""


def test_output_is_heard_of_as_it_comes() -> None:
    """Each piece of the standard output is handed over while the process runs, and is in the result too."""
    heard: list[bytes] = []
    line = "echo one; read answer; echo two; echo why >&2"

    async def scene() -> Completed:
        return await run_once(
            Launch(
                argv=[b"/bin/sh", b"-c", line.encode()], cwd="/", env={}, stdin=b"x\n", on_output=heard.append
            )
        )

    done = asyncio.run(scene())
    assert (b"".join(heard), done.stdout, done.stderr) == (b"one\ntwo\n", b"one\ntwo\n", b"why\n")


@pytest.mark.parametrize("stream", ["1", "2"])
def test_output_has_a_bound(stream: str) -> None:
    """A process that writes without end is ended; the error knows the bound."""
    line = f"while :; do echo 0123456789; done >&{stream}"
    launch = Launch(argv=[b"/bin/sh", b"-c", line.encode()], cwd="/", env={}, most_bytes=100_000)
    with pytest.raises(OutputBoundError) as caught:
        asyncio.run(run_once(launch))
    assert caught.value.most_bytes == 100_000


def test_the_bound_holds_for_what_is_over_at_once() -> None:
    """It does not matter that the process has ended before its output is read."""
    launch = Launch(argv=[b"/bin/echo", b"0123456789"], cwd="/", env={}, most_bytes=5)
    with pytest.raises(OutputBoundError):
        asyncio.run(run_once(launch))
