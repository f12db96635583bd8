"""Limits the number of concurrent sessions of a host, and runs one command per session.

A command ends at end of file: when the server has reported its exit and the end of its output. OpenSSH
reports the exit at once, and the end of the output when the last child has closed it.

A server limits the sessions of a connection (OpenSSH: MaxSessions, 10) and reports that only by refusing one.
The gate begins with this limit and lowers it when the server refuses; further sessions wait.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING, Final

import asyncssh
from asyncssh.constants import EXTENDED_DATA_STDERR

from ensue.core.contracts.connection import Completed
from ensue.reach.processes.feeding import Feed, resolve
from ensue.reach.resources.answers import MOST_BYTES

if TYPE_CHECKING:
    import re

    from ensue.core.contracts.connection import OutputListener

MOST_SESSIONS: Final = 10
"""OpenSSH's own default."""

END_GRACE_S: Final = 2.0
"""How long a command has between SIGTERM and SIGKILL."""

_LONGEST_MARK: Final = 128
_MOST_ERRORS_WHILE_DEAF_BYTES: Final = 1 << 16
_SIGNAL_GRACE_S: Final = 0.25
_CLOSE_GRACE_S: Final = 2.0


class SessionGate:
    """Admits as many sessions as the server allows.

    A place is held for as long as its session is open at the server, by whatever holds its `ExitStack`. One
    place is kept for the sessions that end commands, so that they can be ended when all others are taken.

    Args:
        limit: the number of sessions that the server is known to allow.
    """

    def __init__(self, limit: int = MOST_SESSIONS) -> None:
        self.limit = limit
        self.active = 0
        self._lasting = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self, place: contextlib.ExitStack) -> int:
        """Wait for a place, which is given back when the stack is closed.

        There is always one beside the sessions that last, even if the server has never allowed it.

        Returns:
            the number of sessions then, including this one.
        """
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise
        place.callback(self._leave)
        return self.active

    def enter_last(self, place: contextlib.ExitStack) -> int:
        """Take the place that is kept, without waiting; return as `enter`, or 0 if there is none."""
        if self.active >= self.limit:
            return 0
        self.active += 1
        place.callback(self._leave)
        return self.active

    def lasts(self, place: contextlib.ExitStack) -> None:
        """Record that a session stays open until something else than its own work ends it."""
        self._lasting += 1
        place.callback(self._lasts_no_longer)
        self._admit()

    def refused(self, *, beside: int) -> bool:
        """Record that the server refused a session.

        Args:
            beside: the number of sessions when it was requested, including that one.

        Returns:
            whether there were no others than those that last, so that waiting gains nothing.
        """
        self.limit = max(1, min(self.limit, beside - 1))
        return beside <= self._lasting + 1

    def _leave(self) -> None:
        self.active -= 1
        self._admit()

    def _lasts_no_longer(self) -> None:
        self._lasting -= 1

    def _admit(self) -> None:
        """Hand the free places to those that have waited longest."""
        while self._waiting and self.active < max(self.limit - 1, self._lasting + 1):
            turn = self._waiting.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)


class ExecSession(asyncssh.SSHClientSession[bytes]):
    """One command: collects its output and reports its end; its input goes through `feed`.

    Args:
        start_mark: matches the line of its error output with which it reports its process id.
        listener: receives what it writes as it comes; None: nobody follows it.
    """

    def __init__(self, start_mark: re.Pattern[bytes], listener: OutputListener | None = None) -> None:
        self._start_mark = start_mark
        self._listener = listener
        self.feed = Feed()
        self._loop = asyncio.get_running_loop()
        self._is_at_end = False
        self.output = bytearray()
        self.errors = bytearray()
        self.fault: Exception | None = None
        self.has_exited = False
        self.is_overfull = False
        self._is_deaf = False
        self.pid = 0
        self.started: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        """Collect output, up to a limit."""
        if self._is_deaf:
            # The process id, which is needed to end the command, may still be on its way.
            if datatype == EXTENDED_DATA_STDERR and len(self.errors) < _MOST_ERRORS_WHILE_DEAF_BYTES:
                self.errors.extend(data)
                self._look_for_start(len(data))
            return
        (self.errors if datatype == EXTENDED_DATA_STDERR else self.output).extend(data)
        if not self.pid and datatype == EXTENDED_DATA_STDERR:
            self._look_for_start(len(data))
        if len(self.output) + len(self.errors) > MOST_BYTES:
            self.is_overfull = True
            self.stop_collecting()
            self._end()
            return
        if self._listener is not None:
            (self._listener.errors if datatype == EXTENDED_DATA_STDERR else self._listener.output)(data)

    def stop_collecting(self) -> None:
        """Drop what arrives from now on: nobody waits for the command."""
        self._is_deaf = True
        self.output.clear()

    def pause_writing(self) -> None:
        """Hold the input back: the command does not read it fast enough."""
        self.feed.pause()

    def resume_writing(self) -> None:
        """Continue with the input."""
        self.feed.resume()

    def exit_status_received(self, status: int) -> None:  # noqa: ARG002 (the channel keeps it)
        """Record the exit; children may still hold the output open."""
        self._exit()

    def exit_signal_received(self, signal: str, core_dumped: bool, msg: str, lang: str) -> None:  # noqa: ARG002 (same)
        """Record that a signal ended the command."""
        self._exit()

    def eof_received(self) -> bool:
        """Record the end of the output; keep our side open, since the command may still read."""
        self._is_at_end = True
        if self.has_exited:
            self._end()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Record that the channel is closed."""
        self.fault = exc
        self._end()

    def _look_for_start(self, added: int) -> None:
        match = self._start_mark.search(self.errors, max(0, len(self.errors) - added - _LONGEST_MARK))
        if match is not None and not self.pid:
            self.pid = int(match[1])
            self.started.set_result(None)

    def _exit(self) -> None:
        self.has_exited = True
        # OpenSSH closes the input of a command that has exited, even if its children could read it.
        self.feed.stop()
        if self._is_at_end:
            self._end()

    def _end(self) -> None:
        self.feed.stop()
        resolve(self.ended)


async def ended_by_signal(
    channel: asyncssh.SSHClientChannel[bytes], session: ExecSession, signal_name: str
) -> bool:
    """Ask the server to send a signal to a command; return whether that ended it."""
    if not session.ended.done():
        with contextlib.suppress(OSError):
            channel.send_signal(signal_name)
    return await ended_within(session, _SIGNAL_GRACE_S)


async def ended_within(session: ExecSession, limit_s: float) -> bool:
    """Return whether a command ends within a time limit."""
    await asyncio.wait([session.ended], timeout=limit_s)
    return session.ended.done()


async def close_channel(channel: asyncssh.SSHClientChannel[bytes]) -> None:
    """Close a channel and wait a short time for the server to confirm: until then it counts as a session."""
    channel.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_GRACE_S):
            await channel.wait_closed()


def completed(channel: asyncssh.SSHClientChannel[bytes], session: ExecSession) -> Completed | None:
    """Return the result of a command, None if the server did not report how it ended."""
    returncode = channel.get_returncode()
    if returncode is None:
        return None
    return Completed(returncode=returncode, stdout=bytes(session.output), stderr=bytes(session.errors))
