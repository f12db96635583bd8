"""Runs a client program (`podman exec`, `kubectl exec`) once on this machine, and collects its output.

A client cannot always report how the command ended, nor end it. Therefore the command itself reports its
start and its exit in marked lines on its error output, which this module removes.

An engine closes the output of the process that it started when that process exits, even if children of it
still write. Therefore that process is a shell that passes the output of the command on until its end of
file, whichever process holds it open, and then marks the end of both streams.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from typing import TYPE_CHECKING, Final, cast

from ensue.core.contracts.connection import Completed
from ensue.reach.processes.feeding import Feed, resolve
from ensue.reach.resources.answers import MOST_BYTES
from ensue.reach.resources.faults import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.connection import OutputListener
    from ensue.core.contracts.content import Input

_STDIN, _STDOUT, _STDERR = range(3)
_REAP_GRACE_S: Final = 2.0
_QUOTED_CHARS: Final = 300
_LONGEST_MARK: Final = 128
_FIRST_SIGNAL_CODE: Final = 128
_LAST_SIGNAL_CODE: Final = 128 + 64


_BOOT: Final = """echo {token} pid $$ >&2
trap : HUP INT TERM
exec 4>&2 2>/dev/null
v=
while IFS= read -r l && [ "$l" != {token} ]; do v="$v$l
"; done
r() {{ trap '' HUP INT TERM; cat; echo {token} end; }}
{{
trap : HUP INT TERM
{{
trap : HUP INT TERM
/bin/sh -c "$v" 2>&1 >&3 3>&- 4>&-
echo {token} exit $? >&4
}} | r >&4
}} 3>&1 | r 4>&-
exec cat >/dev/null 2>&1"""


def boot_script(token: str) -> str:
    """Return a script that reads another script from its input, runs it, and reports its start, exit and end.

    The script itself travels through the input since clients carry arguments as JSON or in a URL, which
    are short and hold no bytes outside UTF-8. Signals are left to the inner script: the outer one reports
    its exit, passes on what is written until the end of file of both streams, and reads the input that the
    inner one left: a client whose input breaks off ends at once, and the report with it. A shell writes
    "Killed" when a signal ends what it waits for, so the error output of the outer one is closed and only
    the command's own errors are seen.

    Args:
        token: a word that nothing else prints.
    """
    return _BOOT.format(token=token)


def boot_input(script: str, token: str) -> bytes:
    """Return the input of `boot_script`, which precedes the input of the inner script."""
    return f"{script}\n{token}\n".encode("utf-8", "surrogateescape")


class ClientProcess(asyncio.SubprocessProtocol):
    """A running client.

    Args:
        token: the mark of the lines of `boot_script`; empty if the client runs no such script.
        listener: receives what it writes as it comes, marked lines included; None: nobody follows it.
    """

    def __init__(self, token: str = "", listener: OutputListener | None = None) -> None:
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._pid_mark = re.compile(rb"%s pid (\d{1,18})\n" % token.encode()) if token else None
        self._exit_mark = re.compile(rb"%s exit (\d{1,3})\n" % token.encode()) if token else None
        self._end_mark = f"{token} end\n".encode() if token else b""
        self._transport: asyncio.SubprocessTransport | None = None
        self._output = bytearray()
        self._errors = bytearray()
        self._open = {_STDOUT, _STDERR}
        self._unmarked = {_STDOUT, _STDERR}
        self._tails = {_STDOUT: b"", _STDERR: b""}
        self._is_deaf = False
        self._feed = Feed()
        self._exited: asyncio.Future[None] = self._loop.create_future()
        self.pid = 0
        self.exit_code: int | None = None
        self.is_overfull = False
        self.started: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()

    @property
    def errors(self) -> bytes:
        """The error output of client and command, without the marked lines."""
        text = bytes(self._errors)
        for mark in (self._pid_mark, self._exit_mark):
            if mark is not None:
                text = mark.sub(b"", text, count=1)
        return self._without_end_mark(text)

    @property
    def client_code(self) -> int | None:
        """The exit code of the client itself, None while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    def completed(self) -> Completed:
        """Return how the command ended, or if it did not report that, how the client ended."""
        code = self.exit_code if self.exit_code is not None else self.client_code or 0
        if self.exit_code is not None:
            code = code_of_shell(code)
        output = self._without_end_mark(bytes(self._output))
        return Completed(returncode=code, stdout=output, stderr=self.errors, pid=self.pid)

    async def feed(self, stdin: Input) -> None:
        """Write the rest of the standard input and close it, without waiting until bytes are read.

        Raises:
            CommandInputError: it cannot be read.
        """
        await self._feed.give(stdin, self.write)
        if self._transport is not None:
            self._stdin(self._transport).write_eof()

    def write(self, stdin: bytes) -> None:
        """Write a part of the standard input."""
        if self._transport is not None:
            self._stdin(self._transport).write(stdin)

    def stop_collecting(self) -> None:
        """Drop what arrives from now on: nobody waits for it."""
        self._is_deaf = True

    async def release(self) -> None:
        """Wait until the client has been reaped; end it, unless its command has ended and it follows soon."""
        if self._transport is not None:
            if not self._unmarked:
                await asyncio.wait([self._exited], timeout=_REAP_GRACE_S)
            if self._transport.get_returncode() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._transport.get_pid(), signal.SIGKILL)
                await asyncio.wait([self._exited], timeout=_REAP_GRACE_S)
            self._transport.close()
        resolve(self.started)
        resolve(self.ended)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pause_writing(self) -> None:
        """Hold the input back: the client does not read it fast enough."""
        self._feed.pause()

    def resume_writing(self) -> None:
        """Continue with the input."""
        self._feed.resume()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's interface)
        """Note that a pipe is closed: give no more input, or await no more output."""
        if fd == _STDIN:
            self._feed.stop()
        self._open.discard(fd)
        self._end_at_end_of_file()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Collect what the client writes, up to a limit, and look for the end."""
        if not (self._is_deaf and self.started.done()):
            self._collect(fd, data)
        if self._end_mark and fd in self._unmarked:
            latest = self._tails[fd] + data
            self._tails[fd] = latest[-_LONGEST_MARK:]
            if self._end_mark in latest:
                self._unmarked.discard(fd)
                self._end_at_end_of_file()

    def process_exited(self) -> None:
        """Note that the client has exited; its output ends when its pipes are closed."""
        resolve(self._exited)
        self._end_at_end_of_file()

    def _collect(self, fd: int, data: bytes) -> None:
        buffer = self._errors if fd == _STDERR else self._output
        buffer += data
        if fd == _STDERR:
            self._look_for_marks(len(data))
        if len(self._output) + len(self._errors) > MOST_BYTES:
            self.is_overfull = True
            self._output.clear()
            self.stop_collecting()
            resolve(self.started)
            self._end()
        elif self._listener is not None:
            (self._listener.errors if fd == _STDERR else self._listener.output)(data)

    @staticmethod
    def _stdin(transport: asyncio.SubprocessTransport) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", transport.get_pipe_transport(0))

    def _look_for_marks(self, added: int) -> None:
        since = max(0, len(self._errors) - added - _LONGEST_MARK)
        if not self.pid and self._pid_mark is not None:
            match = self._pid_mark.search(self._errors, since)
            if match is not None:
                self.pid = int(match[1])
                resolve(self.started)
        if self.exit_code is None and self._exit_mark is not None:
            match = self._exit_mark.search(self._errors, since)
            if match is not None:
                self.exit_code = int(match[1])

    def _without_end_mark(self, text: bytes) -> bytes:
        # Only the client itself may write after it.
        return b"".join(text.rsplit(self._end_mark, 1)) if self._end_mark else text

    def _end_at_end_of_file(self) -> None:
        if not self._unmarked or (self._exited.done() and not self._open & self._unmarked):
            self._end()

    def _end(self) -> None:
        self._feed.stop()
        resolve(self.ended)


async def started_client(
    argv: Sequence[str], *, token: str = "", listener: OutputListener | None = None
) -> ClientProcess:
    """Start a client.

    Args:
        argv: the program and its arguments.
        token: the mark of the lines of `boot_script`.
        listener: receives what the client writes as it comes.

    Raises:
        OSError: the program cannot be started.
        ValueError: an argument contains a NUL byte.
    """
    loop = asyncio.get_running_loop()
    raw = [os.fsencode(part) for part in argv]
    _, client = await loop.subprocess_exec(
        lambda: ClientProcess(token, listener), *raw, start_new_session=True
    )
    return client


async def client_answer(argv: Sequence[str], *, limit_s: float) -> Completed | None:
    """Return the output of a short client call, None if it does not start, or does not end in time."""
    try:
        client = await started_client(argv)
    except OSError:
        return None
    try:
        await client.feed(b"")
        await asyncio.wait([client.ended], timeout=limit_s)
        return client.completed() if client.ended.done() and not client.is_overfull else None
    finally:
        await client.release()


def code_of_shell(code: int) -> int:
    """Return the exit code of a command as connections report it, a signal as a negative number.

    Args:
        code: the exit code of a shell or of `script`, which report a signal only as 128 and its number.
    """
    return _FIRST_SIGNAL_CODE - code if _FIRST_SIGNAL_CODE < code <= _LAST_SIGNAL_CODE else code


def quoted_end(completed: Completed) -> str:
    """Return the error output of a failed client, formatted for the end of a message."""
    words = printable(" ".join(completed.stderr.decode("utf-8", "replace").split())[:_QUOTED_CHARS])
    return f": {words}" if words else f": it ended with {completed.returncode}"
