"""Processes of this machine: what the contract cannot ask of every target."""

from __future__ import annotations

import asyncio
import gc
import os
import pwd
import signal
import time
from pathlib import Path

import pytest

from ensue.contracts.connection import Command, Completed
from ensue.errors import AuthenticationError, RemoteError, RemoteTimeoutError
from ensue.model.srn import Srn
from ensue.resources.minion.connection import MinionConnection
from ensue.resources.minion.runner import Launch, Runner

TARGET = MinionConnection(Srn("minion", "m"))


async def run(launch: Launch) -> Completed:
    """Run a process without a connection around it."""
    runner = Runner(asyncio.get_running_loop())
    try:
        return await runner.run(launch)
    finally:
        runner.close()


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
        argv=[b"/bin/sh", b"-c", b"trap '' TERM; sleep 60; sleep 60"],
        cwd="/",
        env={},
        timeout_s=0.1,
        end_grace_s=0.2,
    )
    with pytest.raises(TimeoutError):
        asyncio.run(run(launch))
    assert time.monotonic() - started < 5


def test_without_pidfd_a_thread_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a kernel that gives no pidfd commands work all the same, and are ended in time."""

    def refuse(_pid: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    done = asyncio.run(TARGET.run(Command(shell_line="cat; exit 4", stdin=b"in")))
    assert (done.returncode, done.stdout) == (4, b"in")
    with pytest.raises(RemoteTimeoutError):
        asyncio.run(TARGET.run(Command(shell_line="sleep 60", timeout_s=0.05)))


def test_what_a_program_cannot_be() -> None:
    """A file without the right to execute ends with 126, as in a shell."""
    assert asyncio.run(TARGET.run(Command(argv=["/etc/passwd"]))).returncode == 126
    assert asyncio.run(TARGET.run(Command(argv=["/etc"]))).returncode == 126


def test_too_long_an_argument_is_a_value() -> None:
    """What the system takes for too long ends with 126."""
    assert asyncio.run(TARGET.run(Command(argv=["true", "x" * 10_000_000]))).returncode == 126


def test_another_user(tmp_path: Path) -> None:
    """Root becomes another user, with groups, home and name; others are told that they may not."""
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
    """When the system is out of processes or files that is said, without a traceback."""

    def refuse(_flags: int) -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe2", refuse)
    with pytest.raises(RemoteError, match="cannot start a process: Too many open files"):
        asyncio.run(TARGET.run(Command(shell_line="true")))
