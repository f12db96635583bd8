# ruff: noqa: S101, PLR2004 (a test asserts, and its literal expectations are the facts it states)
"""The contract of a Connection's commands, as pytest tests for any connection that runs commands.

Derive from `CommandContract` and give a fixture `subject` that returns a `Subject`. The target needs
a POSIX shell with the usual small tools.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING, Final

import pytest

from ensue.core.contracts.connection import Command
from ensue.core.errors import CommandInputError, RemoteError, RemoteFileError, RemoteTimeoutError
from ensue.testing.contract_data import BIG_BYTES, LONG_BYTES, ChunkedContent, noise
from ensue.testing.contract_play import scene

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection

MEBIBYTE = 1 << 20
LONG_S = 300
"""Longer than any test may take: a command that sleeps this long must be ended."""

_MOMENTS: Final = 24
_AT_ONCE: Final = 6
AFTER_THE_SHELL = "while kill -0 $$ 2>/dev/null; do sleep 0.02; done"
"""In a child of a shell: waits until the shell has exited."""


class CommandContract:
    """Running commands."""

    @scene
    async def test_output_errors_and_code(self, target: Connection, folder: str) -> None:
        """Output, errors and exit code are returned separately, byte for byte; a failure raises nothing."""
        assert target.can_run
        assert folder
        line = "printf 'out\\377\\000\\n'; printf 'err\\n' >&2; exit 7"
        done = await target.run(Command(shell_line=line))
        assert (done.returncode, done.stdout, done.stderr) == (7, b"out\xff\0\n", b"err\n")
        for code in (0, 1, 126, 255):
            assert (await target.run(Command(shell_line=f"exit {code}"))).returncode == code

    @scene
    async def test_arguments_are_left_alone(self, target: Connection, folder: str) -> None:
        """No shell reads an argv: blanks, quotes, dollars, wildcards, line breaks and odd bytes stay."""
        words = ["a b", "$HOME", "*", "'", '"', "\\", "new\nline", "", "-n", "; exit 3", "\udcff\udcfe", "ü"]
        done = await target.run(Command(argv=["printf", "%s|", *words], cwd=folder))
        expected = "".join(f"{word}|" for word in words).encode("utf-8", "surrogateescape")
        assert (done.returncode, done.stdout) == (0, expected)

    @scene
    async def test_a_program_that_is_not_there(self, target: Connection, folder: str) -> None:
        """A missing program ends with 127, as in a shell, and with an error message."""
        done = await target.run(Command(argv=[f"{folder}/no-such-program"]))
        assert done.returncode == 127
        assert b"no-such-program" in done.stderr

    @scene
    async def test_input_comes_in_chunks(self, target: Connection, folder: str) -> None:
        """A command reads chunks as one input: all of it, a part, or nothing."""
        content = noise(LONG_BYTES)
        expected = f"{hashlib.sha256(content).hexdigest()}  -\n".encode()
        done = await target.run(
            Command(argv=["sha256sum"], stdin=ChunkedContent(content), env={"A": "b"}, cwd=folder)
        )
        assert (done.returncode, done.stdout) == (0, expected)
        for line, output in (("exit 3", b""), ("head -c 5; exit 3", content[:5])):
            done = await target.run(Command(shell_line=line, stdin=ChunkedContent(content), cwd=folder))
            assert (done.returncode, done.stdout) == (3, output)

    @scene
    async def test_an_input_that_breaks_off_ends_the_command(self, target: Connection, folder: str) -> None:
        """A command whose input cannot be read does not continue with a part of it."""
        source = ChunkedContent(noise(BIG_BYTES), breaks_off=True)
        line = "cat >read; echo >whole"
        with pytest.raises(CommandInputError, match="the source breaks off"):
            await target.run(Command(shell_line=line, stdin=source, cwd=folder))
        assert "whole" not in await target.list_directory(folder)

    @scene
    async def test_a_limit_holds_for_the_input_too(self, target: Connection, folder: str) -> None:
        """A command that does not read is ended in time, however much input there is."""
        command = Command(
            shell_line=f"sleep {LONG_S}", stdin=ChunkedContent(noise(LONG_BYTES)), cwd=folder, timeout_s=0.5
        )
        with pytest.raises(RemoteTimeoutError):
            await target.run(command)

    @scene
    async def test_much_both_ways(self, target: Connection, folder: str) -> None:
        """A mebibyte of input, output and errors at once does not block."""
        assert folder
        content = noise(MEBIBYTE)
        done = await target.run(Command(shell_line="tee /dev/stderr", stdin=content))
        if done.returncode:  # /dev/stderr cannot be opened everywhere
            done = await target.run(Command(shell_line="cat", stdin=content))
        else:
            assert done.stderr == content
        assert (done.returncode, done.stdout) == (0, content)

    @scene
    async def test_input_that_nobody_reads(self, target: Connection, folder: str) -> None:
        """A command need not read its input; without one it finds the end at once."""
        assert folder
        done = await target.run(Command(shell_line="exec true", stdin=noise(MEBIBYTE)))
        assert done.returncode == 0
        done = await target.run(Command(shell_line="cat; echo end"))
        assert done.stdout == b"end\n"

    @scene
    async def test_environment(self, target: Connection, folder: str) -> None:
        """Variables are set as they are, removed by None, and gone with clean_env, PATH and HOME too."""
        assert folder
        value = "a 'b' \"c\" $d\ne"
        done = await target.run(Command(shell_line='printf %s "$ONE"', env={"ONE": value}))
        assert done.stdout == value.encode()
        done = await target.run(Command(shell_line='echo "${HOME-none}"', env={"HOME": None}))
        assert done.stdout == b"none\n"
        clean = Command(shell_line='echo "${HOME-none} $ONE"', env={"ONE": "1"}, clean_env=True)
        assert (await target.run(clean)).stdout == b"none 1\n"
        done = await target.run(Command(argv=["/usr/bin/env"], env={"ONE": "1"}))
        assert b"ONE=1" in done.stdout.split(b"\n")

    @scene
    async def test_variables_are_on_no_command_line(self, target: Connection, folder: str) -> None:
        """Variables are not visible to all users of the machine, and the input stays complete."""
        assert folder
        value = "known to the environment"
        for is_clean in (False, True):
            line = 'test "$ONE" = "$(cat)" && PATH=/bin:/usr/bin && cat /proc/[0-9]*/cmdline 2>/dev/null; :'
            command = Command(shell_line=line, env={"ONE": value}, stdin=value.encode(), clean_env=is_clean)
            shown = (await target.run(command)).stdout
            assert b"cmdline" in shown
            assert value.encode() not in shown

    @scene
    async def test_folder(self, target: Connection, folder: str) -> None:
        """A command runs in the given folder, else in one that exists; a missing folder is an error."""
        await target.make_directory(f"{folder}/in 'here'")
        await target.run(Command(shell_line="echo x > made", cwd=f"{folder}/in 'here'"))
        assert await target.read(f"{folder}/in 'here'/made") == b"x\n"
        assert (await target.run(Command(shell_line="ls ."))).returncode == 0
        for cwd in (f"{folder}/absent", f"{folder}/in 'here'/made"):
            with pytest.raises(RemoteFileError) as caught:
                await target.run(Command(shell_line="echo ran", cwd=cwd))
            assert caught.value.path == cwd
            assert cwd in str(caught.value)

    @scene
    async def test_umask(self, target: Connection, folder: str) -> None:
        """Files that a command creates follow the given umask."""
        await target.run(Command(shell_line="echo > narrow", cwd=folder, umask=0o077))
        await target.run(Command(shell_line="echo > wide", cwd=folder, umask=0))
        narrow, wide = await target.stat(f"{folder}/narrow"), await target.stat(f"{folder}/wide")
        assert narrow is not None
        assert wide is not None
        assert (narrow.mode, wide.mode) == (0o600, 0o666)

    @scene
    async def test_a_signal(self, target: Connection, folder: str) -> None:
        """A command ended by a signal has the negative signal number as its exit code."""
        assert folder
        assert (await target.run(Command(shell_line="kill -KILL $$"))).returncode == -9
        assert (await target.run(Command(shell_line="kill -TERM $$"))).returncode == -15

    @scene
    async def test_a_command_that_takes_too_long_is_ended(self, target: Connection, folder: str) -> None:
        """A command over its limit is ended with what it started, even if it ignores SIGTERM."""
        started = time.monotonic()

        async def assert_ended(cwd: str, line: str) -> None:
            await target.make_directory(cwd)
            limit_s = 0.3
            # A slow target has not always started the shell within the limit.
            while await target.stat(f"{cwd}/pids") is None:
                command = Command(shell_line=f"echo $$ > shell; {line}", cwd=cwd, timeout_s=limit_s)
                with pytest.raises(RemoteTimeoutError) as caught:
                    await target.run(command)
                assert caught.value.timeout_s == limit_s
                assert caught.value.target == str(target.srn)
                limit_s *= 2
            await _assert_gone(target, cwd)

        await asyncio.gather(
            assert_ended(f"{folder}/obeys", f"sleep {LONG_S} & echo $! > pids; wait"),
            assert_ended(f"{folder}/ignores", f"trap '' TERM; sleep {LONG_S} & echo $! > pids; wait; wait"),
        )
        assert time.monotonic() - started < 30

    @scene
    async def test_cancelling_ends_the_command(self, target: Connection, folder: str) -> None:
        """Cancelling the caller leaves nothing running."""
        line = f"echo $$ > shell; sleep {LONG_S} & echo $! > pids; mkdir started; wait"
        async with asyncio.TaskGroup() as group:
            running = group.create_task(target.run(Command(shell_line=line, cwd=folder)))
            await target.run(Command(shell_line="until [ -d started ]; do sleep 0.02; done", cwd=folder))
            running.cancel()
        assert running.cancelled()
        await _assert_gone(target, folder)

    @scene
    async def test_cancelling_at_any_moment_ends_the_command(self, target: Connection, folder: str) -> None:
        """Whether it has not started, is starting or runs: once the caller is cancelled, it ends."""
        began = time.monotonic()
        await asyncio.gather(*(target.run(Command(argv=["true"], cwd=folder)) for _ in range(_AT_ONCE)))
        whole_s = time.monotonic() - began
        command = Command(shell_line=f"echo $$ >>shell; sleep {LONG_S} & echo $! >>pids; wait", cwd=folder)

        async def cancel_after(delay_s: float) -> None:
            running = asyncio.ensure_future(target.run(command))
            asyncio.get_running_loop().call_later(delay_s, running.cancel)
            with pytest.raises(asyncio.CancelledError):
                await running

        for first in range(0, _MOMENTS, _AT_ONCE):
            moments = range(first, first + _AT_ONCE)
            await asyncio.gather(*(cancel_after(1.5 * whole_s * moment / _MOMENTS) for moment in moments))
        await target.run(Command(shell_line="touch shell pids", cwd=folder))
        await _assert_gone(target, folder)

    @scene
    async def test_a_child_that_holds_the_output_is_waited_for(self, target: Connection, folder: str) -> None:
        """Output ends at end of file: what a child in the background writes after the exit is part of it."""
        child = f"{AFTER_THE_SHELL}; echo >gone; read go <go; echo late; echo end >&2; echo >flag"
        line = f"mkfifo gone go; ({child}) & echo now; echo failed >&2; exit 3"
        async with asyncio.TaskGroup() as group:
            running = group.create_task(target.run(Command(shell_line=line, cwd=folder)))
            wait = "until [ -p gone ]; do sleep 0.02; done; cat gone"
            await target.run(Command(shell_line=wait, cwd=folder))
            assert not running.done()
            await target.run(Command(shell_line="echo >go", cwd=folder))
        done = running.result()
        assert (done.returncode, done.stdout, done.stderr) == (3, b"now\nlate\n", b"failed\nend\n")
        assert await target.stat(f"{folder}/flag") is not None

    @scene
    async def test_a_child_with_output_of_its_own_is_not_waited_for(
        self, target: Connection, folder: str
    ) -> None:
        """A daemon whose output goes elsewhere does not hold the command, and lives on."""
        daemon = "sh -c 'read stop <stop; echo stopped >log'"
        line = f"mkfifo stop; {daemon} </dev/null >/dev/null 2>&1 & echo started"
        done = await target.run(Command(shell_line=line, cwd=folder))
        assert (done.returncode, done.stdout) == (0, b"started\n")
        stop = "until [ -p stop ]; do sleep 0.02; done; echo >stop; until [ -s log ]; do sleep 0.02; done"
        await target.run(Command(shell_line=stop, cwd=folder, timeout_s=60))
        assert await target.read(f"{folder}/log") == b"stopped\n"

    @scene
    async def test_a_limit_holds_for_what_holds_the_output(self, target: Connection, folder: str) -> None:
        """A child that never closes the output is ended at the limit, though its command has exited."""
        limit_s = 0.5
        # A slow target has not always started the shell within the limit.
        while await target.stat(f"{folder}/pids") is None:
            line = f"sleep {LONG_S} & echo $! >pids; echo $$ >shell"
            with pytest.raises(RemoteTimeoutError) as caught:
                await target.run(Command(shell_line=line, cwd=folder, timeout_s=limit_s))
            assert caught.value.timeout_s == limit_s
            limit_s *= 2
        await _assert_gone(target, folder)

    @scene
    async def test_many_commands_at_once(self, target: Connection, folder: str) -> None:
        """Twenty commands share a connection; each gets its own output, and none waits for all the others."""
        await target.run(Command(shell_line="mkfifo gate", cwd=folder))

        async def one(number: int) -> bytes:
            done = await target.run(Command(shell_line="cat; echo $N", env={"N": str(number)}, stdin=b"in "))
            return done.stdout

        async with asyncio.TaskGroup() as group:
            # One of them waits for another one.
            group.create_task(target.run(Command(shell_line="cat gate", cwd=folder)))
            tasks = [group.create_task(one(number)) for number in range(20)]
            group.create_task(target.run(Command(shell_line="echo > gate", cwd=folder)))
        assert [task.result() for task in tasks] == [f"in {number}\n".encode() for number in range(20)]

    @scene
    async def test_as_the_same_user(self, target: Connection, folder: str) -> None:
        """Running as the current user works, by name and by number."""
        assert folder
        who = (await target.run(Command(shell_line="id -un; id -u"))).stdout.decode().split()
        for name in who:
            done = await target.run(Command(shell_line="id -un; id -u", user=name))
            assert done.stdout.decode().split() == who

    @scene
    async def test_as_nobody_else(self, target: Connection, folder: str) -> None:
        """A user that does not exist is an error that names it."""
        assert folder
        with pytest.raises(RemoteError, match="no-such-user"):
            await target.run(Command(shell_line="true", user="no-such-user"))

    @scene
    async def test_half_a_command(self, target: Connection, folder: str) -> None:
        """Neither or both of shell line and argv, an empty argv and a NUL byte are refused."""
        assert folder
        for command in (
            Command(),
            Command(shell_line="true", argv=["true"]),
            Command(argv=[]),
            Command(argv=["echo", "nul\0byte"]),
            Command(argv=["echo", "\ud800"]),
            Command(shell_line="true", env={"no=name": "1"}),
        ):
            with pytest.raises(RemoteError):
                await target.run(command)

    @scene
    async def test_pipes_are_no_files(self, target: Connection, folder: str) -> None:
        """Reading a named pipe does not hang and writing does not replace it; both are refused."""
        await target.run(Command(shell_line="mkfifo pipe", cwd=folder))
        status = await target.stat(f"{folder}/pipe")
        assert status is not None
        assert status.kind == "fifo"
        for ask in (
            target.read(f"{folder}/pipe"),
            target.write(f"{folder}/pipe", b""),
            target.checksum(f"{folder}/pipe"),
        ):
            with pytest.raises(RemoteFileError):
                await ask
        assert await target.list_directory(folder) == ["pipe"]

    @scene
    async def test_commands_and_files_see_the_same(self, target: Connection, folder: str) -> None:
        """Commands see written files, under the name that the target itself uses."""
        await target.write(f"{folder}/file", b"content", mode=0o640)
        done = await target.run(Command(shell_line="cat file; stat -c %a file", cwd=folder))
        assert done.stdout == b"content640\n"

    @scene
    async def test_a_listener_receives_output_while_the_command_runs(
        self, target: Connection, folder: str
    ) -> None:
        """It receives output and errors apart, byte for byte, and the result has them nevertheless."""
        heard = _Heard()
        wait = "while [ ! -e go ]; do sleep 0.05; done"
        line = f"printf 'one\\n'; printf 'err\\377' >&2; {wait}; printf two"
        command = Command(shell_line=line, cwd=folder, timeout_s=20, env={"A": "b"}, listener=heard)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(target.run(command))
            await heard.first_line.wait()
            assert not running.done()
            await target.write(f"{folder}/go", b"")
        done = running.result()
        assert (done.returncode, done.stdout, done.stderr) == (0, b"one\ntwo", b"err\xff")
        assert (bytes(heard.stdout), bytes(heard.stderr)) == (done.stdout, done.stderr)

    @scene
    async def test_a_closed_connection_runs_again(self, target: Connection, folder: str) -> None:
        """A closed connection can be used again."""
        assert folder
        await target.close()
        assert (await target.run(Command(argv=["echo", "again"]))).stdout == b"again\n"


class _Heard:
    """An `OutputListener` that keeps everything."""

    def __init__(self) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.first_line = asyncio.Event()

    def output(self, data: bytes) -> None:
        self.stdout += data
        if b"\n" in self.stdout:
            self.first_line.set()

    def errors(self, data: bytes) -> None:
        self.stderr += data


async def _assert_gone(target: Connection, folder: str) -> None:
    """Wait until the processes whose ids a command left in files are gone; fail with a timeout."""
    wait = 'while kill -0 "$p" 2>/dev/null; do sleep 0.05; done'
    line = f"for p in $(cat shell pids); do {wait}; done; rm shell pids"
    done = await target.run(Command(shell_line=line, cwd=folder, timeout_s=20))
    assert done.returncode == 0
