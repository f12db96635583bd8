"""Commands and SFTP over a transport: one session per command, one SFTP session for files."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import asyncssh
from asyncssh.constants import OPEN_REQUEST_SESSION_FAILED

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import RemoteError, RemoteTimeoutError, UnreachableError
from ensue.reach.resources.become import Becoming, Errand
from ensue.reach.resources.command_script import NO_FOLDER_EXIT_CODE, command_script
from ensue.reach.resources.faults import file_error
from ensue.reach.resources.ssh_host.accounts import MOST_ACCOUNT_BYTES, RemoteAccounts, Table
from ensue.reach.resources.ssh_host.faults import (
    lost_error,
    no_session_error,
    no_status_error,
    not_run_error,
    overfull_error,
)
from ensue.reach.resources.ssh_host.first_lines import first_lines
from ensue.reach.resources.ssh_host.killing import Killing
from ensue.reach.resources.ssh_host.marks import Marks
from ensue.reach.resources.ssh_host.sessions import (
    END_GRACE_S,
    ExecSession,
    close_channel,
    completed,
    ended_by_signal,
    ended_within,
)
from ensue.reach.resources.ssh_host.sftp_client import SftpClient
from ensue.reach.resources.ssh_host.sftp_messages import SftpError
from ensue.reach.resources.ssh_host.sftp_session import SftpLostError, SftpSession

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from ensue.core.contracts.connection import OutputListener
    from ensue.core.contracts.content import Input
    from ensue.reach.resources.ssh_host.sessions import SessionGate
    from ensue.reach.resources.ssh_host.transport import Transport

_Opened: TypeAlias = "tuple[asyncssh.SSHClientChannel[bytes], ExecSession]"
_LOSSES = (asyncssh.DisconnectError, ConnectionError)
"""Errors that mean that the connection is lost."""


class Channel:
    """Commands and SFTP over one transport.

    Args:
        transport: the connection.
    """

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self._srn = transport.srn
        self._settings = transport.settings
        self._marks = Marks(tty=self._settings.tty)
        self._first = first_lines(self._settings)
        self._becoming = Becoming(self._srn, self._settings.sudo_password, self._send_plain)
        self._killing = Killing(transport, self._marks, self._becoming)
        self._sftp: SftpClient | None = None
        self._sftp_owner: asyncssh.SSHClientConnection | None = None
        self._sftp_lock = asyncio.Lock()
        self._sftp_place = contextlib.ExitStack()
        self._unwanted: set[asyncio.Task[None]] = set()
        self.accounts = RemoteAccounts(self._read_for_accounts, self._getent)

    async def run(self, command: Command) -> Completed:
        """Run a command to its end, as `contracts.connection` says."""
        user = command.user or self._settings.become
        token = self._marks.token
        script = command_script(command, token=token, first=self._first)
        text = self._marks.marked(script.text)
        errand = await self._becoming.errand(text, user) if user else Errand(script=text)
        errand = replace(errand, stdin_first=errand.stdin_first + script.stdin_first)
        limit_s = command.timeout_s if command.timeout_s is not None else self._settings.timeout_s
        listener = self._marks.unmarked(command.listener, user=user)
        done = await self._send(errand, command.stdin, limit_s=limit_s, user=user, listener=listener)
        if done.returncode == NO_FOLDER_EXIT_CODE and token.encode() in done.stderr:
            errors = done.stderr.replace(token.encode(), b"").decode("utf-8", "replace").strip()
            raise file_error(self._srn, "run in", command.cwd or "", why=errors)
        return done

    async def sftp(self) -> SftpClient | None:
        """Return the live SFTP session, None if the host offers no SFTP.

        Raises:
            RemoteError: the host cannot be reached.
        """
        connection = await self.transport.connected()
        async with self._sftp_lock:
            gate = self.transport.gate
            refused_alone = False
            while self._sftp is None or self._sftp_owner is not connection:
                with contextlib.ExitStack() as place:
                    beside = await gate.enter(place)
                    try:
                        self._sftp = await self._open_sftp(connection)
                    except asyncssh.ChannelOpenError as fault:
                        if fault.code == OPEN_REQUEST_SESSION_FAILED:
                            return None
                        with self.losses("SFTP was started"):
                            refused_alone = _refused(gate, fault, beside, was_alone=refused_alone)
                        continue
                    if self._sftp is None:
                        return None
                    self._sftp_owner = connection
                    gate.lasts(place)
                    self._sftp_place = place.pop_all()
            return self._sftp

    async def need_sftp(self) -> SftpClient:
        """Return the live SFTP session of a host that has offered it before."""
        sftp = await self.sftp()
        if sftp is None:
            raise UnreachableError(
                f"{self._srn} ({self._settings.place}) no longer offers SFTP", target=str(self._srn)
            )
        return sftp

    async def close(self) -> None:
        """Close the SFTP session and the connection."""
        self._drop_sftp()
        if self._unwanted:
            await asyncio.wait(self._unwanted, timeout=END_GRACE_S)
        await self.transport.close()

    @contextlib.contextmanager
    def losses(self, doing: str) -> Generator[None]:
        """Turn what a lost connection raises into `UnreachableError`."""
        try:
            yield
        except RemoteError:
            # Some of them are also a ConnectionError.
            raise
        except _LOSSES as fault:
            self._drop_sftp()
            raise lost_error(self._srn, self._settings, doing, fault) from fault
        except asyncssh.ChannelOpenError as fault:
            raise no_session_error(self._srn, self._settings, fault) from fault

    async def _send_plain(self, script: str, stdin: bytes) -> Completed:
        """Run a script as the user logged in."""
        limit_s = self._settings.connect_timeout_s
        errand = Errand(script=self._marks.marked(script))
        return await self._send(errand, stdin, limit_s=limit_s, user="")

    async def _send(
        self,
        errand: Errand,
        stdin: Input,
        *,
        limit_s: float | None,
        user: str,
        listener: OutputListener | None = None,
    ) -> Completed:
        """Send a script and wait for its end.

        Args:
            errand: the script, and what precedes `stdin`.
            stdin: the command's standard input.
            limit_s: how long it may take.
            user: the owner of its processes; empty: the user logged in.
            listener: receives what it writes, marks included.
        """
        line = self._marks.line(errand.script, user=user)
        with self.losses("a command ran"):
            connection = await self.transport.connected()
            gate = self.transport.gate
            refused_alone = False
            while True:
                with contextlib.ExitStack() as place:
                    beside = await gate.enter(place)
                    try:
                        channel, session = await self._open(connection, line, listener, user, place)
                    except asyncssh.ChannelOpenError as fault:
                        refused_alone = _refused(gate, fault, beside, was_alone=refused_alone)
                        continue
                    try:
                        await self._finish(channel, session, (errand.stdin_first, stdin), limit_s)
                        done = self._completed(connection, channel, session, user)
                        await close_channel(channel)
                    except BaseException:
                        await self._give_up(channel, session, user, place)
                        raise
                    return done

    async def _open(
        self,
        connection: asyncssh.SSHClientConnection,
        line: str,
        listener: OutputListener | None,
        user: str,
        place: contextlib.ExitStack,
    ) -> _Opened:
        """Open a session with a command.

        The host may have started the command before its answer is here. If this is cancelled meanwhile, or
        the answer is late, the command is ended as soon as the answer is here. When this is cancelled, the
        place is held until then.
        """
        create: Any = connection.create_session  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        made = partial(ExecSession, self._marks.pid, listener)
        opening: asyncio.Task[_Opened] = asyncio.ensure_future(create(made, line, encoding=None))
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                return await asyncio.shield(opening)
        except TimeoutError:
            self._end_once_opened(opening, user, contextlib.ExitStack())
            raise self._no_answer("opened no session") from None
        except asyncio.CancelledError:
            ending = self._end_once_opened(opening, user, place.pop_all())
            await asyncio.wait([ending], timeout=END_GRACE_S)
            raise

    def _end_once_opened(
        self, opening: asyncio.Task[_Opened], user: str, place: contextlib.ExitStack
    ) -> asyncio.Task[None]:
        async def end() -> None:
            channel, session = await opening
            await self._end(channel, session, user)

        return self._unwatched(end(), place)

    async def _give_up(
        self,
        channel: asyncssh.SSHClientChannel[bytes],
        session: ExecSession,
        user: str,
        place: contextlib.ExitStack,
    ) -> None:
        """End a command; one that has not started is ended when it does, which is not waited for long."""
        ending = self._unwatched(self._end(channel, session, user), place.pop_all())
        waited = [session.started, ending]
        await asyncio.wait(waited, timeout=END_GRACE_S, return_when=asyncio.FIRST_COMPLETED)
        if session.started.done():
            await asyncio.wait([ending])

    def _unwatched(self, work: Coroutine[Any, Any, None], place: contextlib.ExitStack) -> asyncio.Task[None]:
        """Start the ending of a command, which holds its place, until the connection is closed."""

        async def end() -> None:
            with place, contextlib.suppress(asyncssh.Error, OSError, RemoteError):
                await work

        ending = asyncio.create_task(end())
        self._unwanted.add(ending)
        ending.add_done_callback(self._unwanted.discard)
        return ending

    async def _finish(
        self,
        channel: asyncssh.SSHClientChannel[bytes],
        session: ExecSession,
        inputs: tuple[Input, ...],
        limit_s: float | None,
    ) -> None:
        """Feed a command its inputs, one after the other, and wait for its end."""
        write = cast("Callable[[bytes], None]", channel.write)  # pyright: ignore[reportUnknownMemberType]  # asyncssh leaves it open
        try:
            async with asyncio.timeout(limit_s):
                with contextlib.suppress(BrokenPipeError):
                    # The command may have ended already without reading any of it.
                    for input_ in inputs:
                        await session.feed.give(input_, write)
                    channel.write_eof()
                # Unlike a plain await, this does not cancel the future when it is cancelled.
                await asyncio.wait([session.ended])
        except RemoteError:
            raise  # Of the input, which may come from another target.
        except TimeoutError:
            limit_s = limit_s or 0.0
            message = (
                f"a command on {self._srn} did not end within {limit_s:g} s; it was ended (see its timeout)"
            )
            raise RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s) from None

    def _completed(
        self,
        connection: asyncssh.SSHClientConnection,
        channel: asyncssh.SSHClientChannel[bytes],
        session: ExecSession,
        user: str,
    ) -> Completed:
        """Return the result of a command that has ended.

        Raises:
            AuthenticationError: sudo or su has not started it.
            RemoteError: its output is too long, the login shell has not started it, or the server does not
                report how it ended.
        """
        if session.is_overfull:
            raise overfull_error(self._srn, self._settings)
        done = completed(channel, session)
        if done is None and (session.fault or connection.is_closed()):
            raise lost_error(self._srn, self._settings, "a command ran", session.fault)
        if done is None:
            raise no_status_error(self._srn, self._settings)
        begun = self._marks.from_beginning(done)
        if begun is None and user and session.pid:
            raise self._becoming.refused(user, self._marks.unmarked_errors(done))
        if begun is None:
            raise not_run_error(self._srn, self._settings, self._marks.unmarked_errors(done))
        return begun

    async def _end(self, channel: asyncssh.SSHClientChannel[bytes], session: ExecSession, user: str) -> None:
        """End a command that is no longer waited for, once it has started: SIGTERM, then SIGKILL.

        What it writes meanwhile is dropped. The server is asked first, unless its signal would end only what
        is between the session and the command: sudo passes on SIGTERM, but not SIGKILL, and `script`, which
        gives a terminal, ends two seconds after a SIGTERM. OpenSSH refuses this for root, and its signals do
        not reach all that sudo started; then a second session sends them.
        """
        session.stop_collecting()
        await asyncio.wait([session.started, session.ended], return_when=asyncio.FIRST_COMPLETED)
        for name in ("TERM", "KILL"):
            passes_on = not self._settings.tty and not (user and name == "KILL")
            if passes_on and await ended_by_signal(channel, session, name):
                break
            await self._killing.kill(session, user, name)
            if await ended_within(session, END_GRACE_S):
                break
        await close_channel(channel)

    async def _open_sftp(self, connection: asyncssh.SSHClientConnection) -> SftpClient | None:
        """Open the SFTP session; None if the answer is not from an SFTP server but, say, a forced command."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                opened: Any = await connection.create_session(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                    SftpSession, subsystem="sftp", encoding=None
                )
                session = cast("SftpSession", opened[1])
                server = str(connection.get_extra_info("server_version"))
                return SftpClient(session, await session.start(), is_openssh=_swaps_symlinks(server))
        except TimeoutError:
            raise self._no_answer("started no SFTP") from None
        except (SftpError, SftpLostError):
            if connection.is_closed():
                raise lost_error(self._srn, self._settings, "SFTP was started", None) from None
            return None
        except (asyncssh.DisconnectError, ConnectionError) as fault:
            raise lost_error(self._srn, self._settings, "SFTP was started", fault) from fault

    def _drop_sftp(self) -> None:
        self._sftp_place.close()
        sftp, self._sftp = self._sftp, None
        if sftp is not None:
            sftp.close()

    def _no_answer(self, what: str) -> RemoteTimeoutError:
        limit_s = self._settings.connect_timeout_s
        message = (
            f"{self._srn} ({self._settings.place}) {what} within {limit_s:g} s (see `connect_timeout_s`)"
        )
        fault = RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s)
        self.transport.reach.lost(fault)
        return fault

    async def _read_for_accounts(self, path: str) -> bytes:
        sftp = await self.need_sftp()
        try:
            return await sftp.content_to_its_end(path, MOST_ACCOUNT_BYTES)
        except SftpError as fault:
            raise OSError(str(fault)) from fault

    async def _getent(self, table: Table, key: str) -> str:
        done = await self.run(Command(argv=["getent", table, key], cwd="/"))
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def _refused(gate: SessionGate, fault: asyncssh.ChannelOpenError, beside: int, *, was_alone: bool) -> bool:
    """Record a refused session; return whether it was the only one; raise if waiting cannot help."""
    is_alone = gate.refused(beside=beside)
    if fault.code == OPEN_REQUEST_SESSION_FAILED or (is_alone and was_alone):
        raise fault
    return is_alone


def _swaps_symlinks(server_version: str) -> bool:
    """Return whether a server expects the arguments of `SYMLINK` in the reverse order of the draft."""
    return "OpenSSH" in server_version or "paramiko" in server_version
