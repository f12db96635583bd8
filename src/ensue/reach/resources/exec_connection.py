"""`ExecConnection`: a target whose commands go through a client program, one run of it per command.

Containers and pods are reached in this way. A `Doorway` provides the client's command line, and finds out why
it failed; `posix_files` has the file operations.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from ensue.core.contracts.deadlines import START_S, TRANSFER_S
from ensue.core.contracts.reach import Reach
from ensue.core.errors import RemoteError, RemoteTimeoutError, UnreachableError
from ensue.reach.resources.answers import MOST_BYTES
from ensue.reach.resources.client_process import boot_input, boot_script, started_client
from ensue.reach.resources.command_script import NO_FOLDER_EXIT_CODE, command_script
from ensue.reach.resources.faults import file_error
from ensue.reach.resources.posix_files import PosixFiles
from ensue.reach.resources.process_tree import kill_script
from ensue.reach.resources.unmarked_output import unmarked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.connection import Command, Completed, OutputListener
    from ensue.core.contracts.content import Input
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.client_process import ClientProcess

MOST_CLIENTS: Final = 4
"""Maximum number of concurrent clients of one target; other commands wait."""

_END_GRACE_S: Final = 2.0
"""How long a command has between SIGTERM and SIGKILL."""


class ExecSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that containers and pods share.

    Args:
        workdir: folder of commands that name none; empty: the home folder.
        env: variables of every command.
        connect_timeout_s: how long the client may take until the command runs.
        timeout_s: limit of a command without its own one; None: no limit.
    """

    workdir: str = ""
    env: Mapping[str, str] = {}
    connect_timeout_s: float = START_S
    timeout_s: float | None = None


class ScriptLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """How one script is started.

    Args:
        argv: the client's command line, up to the program that runs on the target.
        script: the script for a POSIX shell on the target.
        stdin_first: input of the script, which precedes the standard input of the command.
    """

    argv: Sequence[str]
    script: str
    stdin_first: bytes = b""


Send = Callable[[str, bytes], Awaitable["Completed"]]
"""Runs a script with a standard input."""


class Doorway(Protocol):
    """The client of one target."""

    async def entry(self, script: str, user: str | None, send: Send) -> ScriptLaunch:
        """Return how a script is run.

        Args:
            script: for a POSIX shell.
            user: as whom; empty: the user of the configuration; None: the default user of the client.
            send: runs a script as the default user of the client, with the given standard input.
        """
        ...

    async def why_not(self, user: str | None, completed: Completed | None) -> RemoteError:
        """Find out why a script did not start.

        Args:
            user: whose script it was, as for `entry`.
            completed: how the client ended; None if it could not be started.
        """
        ...


class ExecConnection(PosixFiles):
    """A container or pod as a target.

    Args:
        srn: its name.
        settings: how commands run there.
        door: the client.
        reach: what is known of targets that cannot be reached; None: nothing is remembered.
    """

    def __init__(self, srn: Srn, settings: ExecSettings, door: Doorway, reach: Reach | None = None) -> None:
        super().__init__(srn, self._run_for_files)
        self.settings = settings
        self._door = door
        self._reach = reach or Reach()
        self._token = f"ensue-{secrets.token_hex(8)}"
        self._turns = asyncio.Semaphore(MOST_CLIENTS)
        self._starting: asyncio.Task[None] | None = None
        self._has_answered = False
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def srn(self) -> Srn:
        """The target."""
        return self._srn

    @property
    def can_run(self) -> bool:
        """Always: a container without a POSIX shell cannot be reached at all."""
        return True

    async def run(self, command: Command) -> Completed:
        """Run a command to its end.

        Raises:
            RemoteTimeoutError: the command did not start or end in time, and was ended.
            RemoteFileError: the folder to run in does not exist.
            UnreachableError: the target does not exist, or is not running.
            RemoteError: as described in `contracts.connection`.
        """
        settings = self.settings
        command = msgspec.structs.replace(
            command, env={**settings.env, **(command.env or {})}, cwd=command.cwd or settings.workdir or None
        )
        script = command_script(command, token=self._token)
        limit_s = command.timeout_s if command.timeout_s is not None else settings.timeout_s
        listener = unmarked(command.listener, self._token, output_marks=0, error_marks=1)
        done = await self.send(
            script.text,
            script.stdin_first,
            command.user or "",
            limit_s,
            stdin=command.stdin,
            listener=listener,
        )
        if done.returncode == NO_FOLDER_EXIT_CODE and self._token.encode() in done.stderr:
            why = done.stderr.replace(self._token.encode(), b"").decode("utf-8", "replace").strip()
            raise file_error(self._srn, "run in", command.cwd or "", why=why)
        return done

    async def send(
        self,
        script: str,
        stdin_first: bytes,
        user: str | None,
        limit_s: float | None,
        *,
        stdin: Input = b"",
        listener: OutputListener | None = None,
    ) -> Completed:
        """Run a script of a POSIX shell and wait for its end.

        Args:
            script: what to run.
            stdin_first: what the script reads first.
            user: as whom, as for `Doorway.entry`.
            limit_s: how long it may run once it has started; None: no limit.
            stdin: what the script reads after that.
            listener: receives what it writes, marked lines included.
        """
        await self._wait_for_earlier_start()
        entry = await self._door.entry(script, user, self._send_plain)
        with self._until_it_answers():
            async with self._turns:
                await self._wait_for_earlier_start()
                client = await self._started(entry, user, listener)
                late_at_s = asyncio.get_running_loop().time() + self.settings.connect_timeout_s
                try:
                    first = boot_input(entry.script, self._token) + entry.stdin_first + stdin_first
                    if isinstance(stdin, bytes):
                        await client.feed(first + stdin)
                    else:
                        client.write(first)
                    await self._wait_for_start(client, user, late_at_s)
                    await self._wait(client, stdin, limit_s)
                except BaseException as fault:
                    has_started = client.started.done() or client.ended.done()
                    if has_started or isinstance(fault, RemoteTimeoutError):
                        await self._end(client, user)
                    else:
                        self._give_up(client, user, late_at_s)
                    if isinstance(fault, asyncio.CancelledError) and not has_started:
                        self._reach.gave_up(str(self._srn))
                    raise
                await client.release()
        if client.is_overfull:
            raise RemoteError(
                f"a command on {self._srn} wrote more than {MOST_BYTES} bytes (let it write to a file there)",
                target=str(self._srn),
            )
        return client.completed()

    async def close(self) -> None:
        """Wait until commands that nobody waited for have been ended."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def _run_for_files(self, command: Command) -> Completed:
        """Run a command of a file operation, which has a limit."""
        if command.timeout_s is None and self.settings.timeout_s is None:
            command = msgspec.structs.replace(command, timeout_s=TRANSFER_S)
        return await self.run(command)

    async def _send_plain(self, script: str, stdin: bytes) -> Completed:
        return await self.send(script, stdin, None, self.settings.connect_timeout_s)

    async def _started(
        self, entry: ScriptLaunch, user: str | None, listener: OutputListener | None
    ) -> ClientProcess:
        shell = ["/bin/sh", "-c", boot_script(self._token)]
        try:
            return await started_client([*entry.argv, *shell], token=self._token, listener=listener)
        except OSError as fault:
            raise await self._door.why_not(user, None) from fault

    @contextlib.contextmanager
    def _until_it_answers(self) -> Generator[None]:
        """Count the wait for a turn or a client as one for the target, while no command has started on it."""
        try:
            yield
        except asyncio.CancelledError:
            if not self._has_answered:
                self._reach.gave_up(str(self._srn))
            raise

    async def _wait_for_earlier_start(self) -> None:
        """Wait for the command that is being started for a caller who gave up: its result counts for all.

        Raises:
            RemoteTimeoutError: it did not start in time.
        """
        if (starting := self._starting) is None:
            return
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            if not starting.done() or starting.cancelled() or starting.exception() is not None:
                self._reach.gave_up(str(self._srn))
            raise
        except RemoteTimeoutError:
            raise
        except RemoteError:
            return  # It may be about that command's user alone.

    def _give_up(self, client: ClientProcess, user: str | None, late_at_s: float) -> None:
        """Leave a command that has not started to a task, which waits for it and ends it."""
        starting = self._starting = asyncio.create_task(self._wait_for_start(client, user, late_at_s))
        starting.add_done_callback(self._has_started)
        ending = asyncio.create_task(self._end_started(starting, client, user))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _has_started(self, starting: asyncio.Task[None]) -> None:
        if self._starting is starting:
            self._starting = None
        if not starting.cancelled():
            starting.exception()  # Nobody may wait for it.

    async def _end_started(
        self, starting: asyncio.Task[None], client: ClientProcess, user: str | None
    ) -> None:
        await asyncio.wait([starting])
        await self._end(client, user)

    async def _wait_for_start(self, client: ClientProcess, user: str | None, late_at_s: float) -> None:
        limit_s = late_at_s - asyncio.get_running_loop().time()
        waited = [client.started, client.ended]
        await asyncio.wait(waited, timeout=max(0.0, limit_s), return_when=asyncio.FIRST_COMPLETED)
        if client.started.done():
            self._has_answered = True
            return
        if client.ended.done():
            raise await self._door.why_not(user, client.completed())
        limit_s = self.settings.connect_timeout_s
        message = f"{self._srn} started no command within {limit_s:g} s (see `connect_timeout_s`)"
        fault = RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s)
        self._reach.lost(fault)
        raise fault

    async def _wait(self, client: ClientProcess, stdin: Input, limit_s: float | None) -> None:
        """Hand over an input that comes in chunks, and wait for the end."""
        try:
            async with asyncio.timeout(limit_s):
                if not isinstance(stdin, bytes):
                    await client.feed(stdin)
                await asyncio.wait([client.ended])
        except RemoteError:
            raise  # Of the input, which may come from another target.
        except TimeoutError:
            limit_s = limit_s or 0.0
            message = (
                f"a command on {self._srn} did not end within {limit_s:g} s; it was ended (see its timeout)"
            )
            raise RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s) from None
        if client.exit_code is None and not client.is_overfull:
            stderr = client.errors.decode("utf-8", "replace").strip()
            why = f": {stderr}" if stderr else ""
            message = f"{self._srn} was lost while a command ran{why}; how far the command got is not known"
            raise UnreachableError(message, target=str(self._srn))

    async def _end(self, client: ClientProcess, user: str | None) -> None:
        """End a command that is no longer waited for: SIGTERM, then SIGKILL."""
        try:
            if not client.started.done():
                # A client that is ended before its command runs may leave the command behind.
                waited = [client.started, client.ended]
                await asyncio.wait(waited, timeout=_END_GRACE_S, return_when=asyncio.FIRST_COMPLETED)
            client.stop_collecting()
            for name in ("TERM", "KILL"):
                if client.ended.done() or not client.pid:
                    return
                with contextlib.suppress(RemoteError):
                    async with asyncio.timeout(self.settings.connect_timeout_s):
                        await self._kill(client.pid, user, name)
                await asyncio.wait([client.ended], timeout=_END_GRACE_S)
        finally:
            await client.release()

    async def _kill(self, pid: int, user: str | None, name: str) -> None:
        entry = await self._door.entry(kill_script(pid, name), user, self._send_plain)
        client = await started_client([*entry.argv, "/bin/sh", "-c", entry.script])
        try:
            await client.feed(entry.stdin_first)
            await asyncio.wait([client.ended])
        finally:
            await client.release()
