"""Running one process of this machine to its end, through asyncio's subprocesses.

Each process runs in a session of its own, so that a signal from the terminal does not reach it and ensue can
end it together with what it started. It knows nothing of shells, users or paths.

The output of a process ends at end of file: when the process has exited and nothing that it started holds its
output open any more. A pipe is never closed while a child may still write to it, unless the process is ended
(after its time limit, when it is cancelled, or when it writes too much).

Source: Salt's `cmdmod`, which reads with `Popen.communicate`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING, Final, cast

import msgspec

from ensue.core.contracts.connection import Completed
from ensue.reach.processes.feeding import Feed, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.content import Input

END_GRACE_S: Final = 2.0
"""How long a command has between SIGTERM and SIGKILL."""

_REAP_GRACE_S: Final = 5.0
_STDIN, _STDOUT, _STDERR = range(3)


class OutputBoundError(ValueError):
    """A process wrote more than its launch allows, and was ended.

    Args:
        most_bytes: the limit.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        super().__init__(f"more than {most_bytes:,} bytes of output")


class OpenInput:
    """The input of a running process, to which more is written while it runs.

    No method waits or fails: what is not read yet waits in memory, and what nobody reads any more is dropped.

    Args:
        pipe: the pipe to the process.
    """

    def __init__(self, pipe: asyncio.WriteTransport) -> None:
        self._pipe = pipe

    def write(self, data: bytes) -> None:
        """Write more of the input."""
        if not self._pipe.is_closing():
            self._pipe.write(data)

    def close(self) -> None:
        """End the input once everything that was written has been read."""
        self._pipe.close()


class Launch(msgspec.Struct, frozen=True):
    """A process to start.

    Args:
        argv: program and arguments.
        executable: the program's file, if it differs from the first word of `argv`.
        cwd: the folder it starts in.
        env: its whole environment.
        stdin: its standard input.
        uid: user number to become; None: unchanged.
        gid: group number to become; None: unchanged.
        groups: supplementary groups; None: unchanged.
        umask: file mode mask; -1: unchanged.
        timeout_s: it and its group are ended after so many seconds; None: no limit.
        end_grace_s: seconds between SIGTERM and SIGKILL.
        on_start: called with the process id once the process has started; an exception from it ends the
            process.
        on_output: called with each piece of the standard output as it arrives; all of it is returned, too.
            It must not raise.
        on_errors: called in the same way with each piece of the standard error output.
        most_bytes: the most that it may write to stdout and stderr together; None: no limit.
        on_open_input: called with the input once `stdin`, which must not be empty, has been written. The
            input stays open until the receiver closes it or the process ends. None: it ends after `stdin`.
    """

    argv: Sequence[bytes]
    cwd: str
    env: Mapping[bytes, bytes]
    stdin: Input = b""
    uid: int | None = None
    gid: int | None = None
    groups: Sequence[int] | None = None
    umask: int = -1
    executable: bytes | None = None
    timeout_s: float | None = None
    end_grace_s: float = END_GRACE_S
    on_start: Callable[[int], None] | None = None
    on_output: Callable[[bytes], None] | None = None
    on_errors: Callable[[bytes], None] | None = None
    most_bytes: int | None = None
    on_open_input: Callable[[OpenInput], None] | None = None


async def run_once(launch: Launch) -> Completed:
    """Start a process and return what it and its children wrote, once it has exited and they have closed it.

    A child in the background that keeps the output open is waited for; one whose output is redirected is not.
    Cancelling ends the process with its group, and waits for that.

    Args:
        launch: the process.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument or variable holds a NUL byte.
        TimeoutError: it was ended after `timeout_s`.
        OutputBoundError: it was ended because it wrote more than `most_bytes`.
        CommandInputError: it was ended because its input cannot be read.
    """
    running = _Running(launch)
    try:
        await running.start()
        if launch.timeout_s is None:
            await running.fed_to_its_end()
        else:
            async with asyncio.timeout(launch.timeout_s):
                await running.fed_to_its_end()
    except BaseException:
        await running.end(launch.end_grace_s)
        raise
    finally:
        running.release()
    return running.completed()


class _Running(asyncio.SubprocessProtocol):
    """A process and what it has written."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.SubprocessTransport | None = None
        self._open = {_STDOUT, _STDERR}
        self._output = bytearray()
        self._errors = bytearray()
        self._feed = Feed()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._exited: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()

    async def start(self) -> None:
        """Start the process."""
        launch = self._launch
        # If this is cancelled, asyncio would end only the process, not what it has started.
        starting = self._loop.create_task(
            self._loop.subprocess_exec(
                lambda: self,
                *launch.argv,
                executable=launch.executable,
                stdin=PIPE if launch.stdin else DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                cwd=launch.cwd,
                env=launch.env,
                start_new_session=True,
                user=launch.uid,
                group=launch.gid,
                extra_groups=launch.groups,
                umask=launch.umask,
            )
        )
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait([starting])
            raise
        transport = self._started()
        if launch.on_start is not None:
            launch.on_start(transport.get_pid())

    async def fed_to_its_end(self) -> None:
        """Feed the process its input, then wait for its end."""
        if self._launch.stdin:
            stdin = cast("asyncio.WriteTransport", self._started().get_pipe_transport(_STDIN))
            await self._feed.give(self._launch.stdin, stdin.write)
            if self._launch.on_open_input is None:
                stdin.close()
            else:
                self._launch.on_open_input(OpenInput(stdin))
        await self.ended

    def completed(self) -> Completed:
        """Return the exit code and the output of the process."""
        transport = self._started()
        returncode = transport.get_returncode()
        assert returncode is not None  # noqa: S101 -- it has exited
        return Completed(
            returncode=returncode,
            stdout=bytes(self._output),
            stderr=bytes(self._errors),
            pid=transport.get_pid(),
        )

    async def end(self, grace_s: float) -> None:
        """End the process and everything in its group: SIGTERM first, then SIGKILL."""
        if self._transport is None:
            return
        try:
            if not self._gone.done():
                self._signal(signal.SIGTERM)
                await asyncio.wait([self._gone], timeout=grace_s)
        finally:
            self._signal(signal.SIGKILL)
            if not self._exited.done():
                await asyncio.wait([self._exited], timeout=_REAP_GRACE_S)
            self.release()
            if self._exited.done():
                await asyncio.wait([self._closed], timeout=_REAP_GRACE_S)

    def release(self) -> None:
        """Close the pipes; may be called at any time."""
        if self._transport is not None:
            if self._launch.on_open_input is not None:
                self._drop_input(self._transport)
            self._transport.close()

    @staticmethod
    def _drop_input(transport: asyncio.SubprocessTransport) -> None:
        """Drop what the process has not read by its end: closing the pipe would wait for a reader of it."""
        pipe = cast("asyncio.WriteTransport", transport.get_pipe_transport(_STDIN))
        if pipe.get_write_buffer_size():
            pipe.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport of the process that has started."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep a piece of the output or of the errors."""
        (self._output if fd == _STDOUT else self._errors).extend(data)
        most_bytes = self._launch.most_bytes
        if most_bytes is not None and len(self._output) + len(self._errors) > most_bytes:
            if not self.ended.done():
                self.ended.set_exception(OutputBoundError(most_bytes))
            self._feed.stop()
            self._close_output()
        elif (take := self._launch.on_output if fd == _STDOUT else self._launch.on_errors) is not None:
            take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that stdout or stderr is closed."""
        del exc  # Of stdin: a command that does not read it has its reasons.
        if fd == _STDIN:
            self._feed.stop()
        self._open.discard(fd)
        self._end_when_gone()

    def pause_writing(self) -> None:
        """Note that the process reads more slowly than its input arrives."""
        self._feed.pause()

    def resume_writing(self) -> None:
        """Note that the process has read what was waiting."""
        self._feed.resume()

    def process_exited(self) -> None:
        """Note that the process itself has exited; what it started may still read and write."""
        resolve(self._exited)
        self._end_when_gone()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the process has been reaped and all pipes are closed."""
        del exc
        resolve(self._closed)

    def _end_when_gone(self) -> None:
        if self._exited.done() and not self._open:
            self._feed.stop()
            resolve(self._gone)
            resolve(self.ended)

    def _close_output(self) -> None:
        for fd in (_STDOUT, _STDERR):
            if pipe := self._started().get_pipe_transport(fd):
                pipe.close()

    def _started(self) -> asyncio.SubprocessTransport:
        assert self._transport is not None  # noqa: S101 -- asyncio gives it before anything else
        return self._transport

    def _signal(self, number: signal.Signals) -> None:
        transport = self._started()
        group = transport.get_pid()
        if transport.get_returncode() is not None and _exists(group):
            # A number is free for another process once the whole group is gone: this one is not ours.
            return
        # The group may be gone, or have become another user's (sudo).
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
