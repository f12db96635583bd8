"""Commands in a sandbox: each session runs one shell line and passes its input, output and end on.

A command runs in its own process group, which is killed if the channel closes before the command has ended.
Flow control is passed on: a client that does not read stops the command.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from asyncssh.packet import Boolean, String, UInt32
from asyncssh.stream import SSHServerStreamSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from asyncssh import SFTPServer, SSHServerChannel
    from asyncssh.channel import SSHChannel
    from asyncssh.packet import SSHPacket

    from ensue.reach.resources.sandbox.record import Isolation

_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_STDERR: Final = 1
"""The SSH data type of error output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnvironment:
    """The environment of commands.

    Args:
        isolation: how they are isolated from the machine.
        root: the file root; empty if it is their own root.
        user: the name of the login.
    """

    isolation: Isolation
    root: str
    user: str

    @property
    def folder(self) -> str:
        """The working directory of commands: the home folder, or the file root if they are not confined."""
        return self.root or "/root"

    def variables(self, requested: dict[str, str]) -> dict[str, str]:
        """Return a command's whole environment, including the variables that the client requested."""
        user = "root" if self.isolation == "namespace" else self.user
        return {
            "PATH": _PATH,
            "HOME": f"{self.root}/root",
            "SHELL": "/bin/sh",
            "USER": user,
            "LOGNAME": user,
            "LANG": "C.UTF-8",
            **requested,
            "ENSUE_ISOLATION": self.isolation,
            "ENSUE_ROOT": self.root,
        }


class SandboxSession(SSHServerStreamSession[bytes]):
    """A session: SFTP, served by asyncssh, or a command, run here."""

    def __init__(
        self, environment: CommandEnvironment, sftp_factory: Callable[[SSHServerChannel[bytes]], SFTPServer]
    ) -> None:
        super().__init__(None, cast("Any", sftp_factory), 3)  # pyright: ignore[reportUnknownMemberType] - asyncssh leaves a parameter open
        self._environment = environment
        self._running: _RunningCommand | None = None
        self._channel: SSHServerChannel[bytes] | None = None

    def connection_made(self, chan: SSHChannel[bytes]) -> None:
        """Keep the channel."""
        super().connection_made(chan)
        self._channel = cast("SSHServerChannel[bytes]", chan)

    def shell_requested(self) -> bool:
        """Allow a shell that reads its commands from its input."""
        return True

    def exec_requested(self, command: str) -> bool:  # noqa: ARG002 - asyncssh's interface
        """Allow any command."""
        return True

    def session_started(self) -> None:
        """Start what was requested."""
        channel = self._channel
        if channel is None or channel.get_subsystem():
            super().session_started()
            return
        self._running = _RunningCommand(channel)
        starting = self._running.start(self._environment)
        channel.get_connection().create_task(starting)  # pyright: ignore[reportUnknownMemberType]

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Pass input on."""
        if self._running:
            self._running.feed(data)
        else:
            super().data_received(data, datatype)

    def eof_received(self) -> bool:
        """Pass on the end of the input; the other direction stays open."""
        if self._running:
            self._running.end_input()
            return True
        return super().eof_received()

    def pause_writing(self) -> None:
        """Hold the command's output back: the client does not read."""
        if self._running:
            self._running.hold_output(held=True)
        else:
            super().pause_writing()

    def resume_writing(self) -> None:
        """Release the output: the client reads again."""
        if self._running:
            self._running.hold_output(held=False)
        else:
            super().resume_writing()

    def signal_received(self, signal: str) -> None:
        """Pass on a signal, by its name in SSH."""
        if self._running:
            self._running.send_signal(signal)
        else:
            super().signal_received(signal)

    def connection_lost(self, exc: Exception | None) -> None:
        """End what is still running: nobody waits for it."""
        if self._running:
            self._running.kill()
        super().connection_lost(exc)


def accept_any_bytes(channel: SSHServerChannel[bytes]) -> SSHServerChannel[bytes]:
    """Let a channel accept commands that are not UTF-8, as other SSH servers do; asyncssh refuses them."""

    def process_exec_request(packet: SSHPacket) -> bool:
        line = packet.get_string()
        packet.check_end()
        return bool(channel._start_session(command=os.fsdecode(line)))  # noqa: SLF001 - what asyncssh does next  # pyright: ignore[reportPrivateUsage]

    channel._process_exec_request = process_exec_request  # type: ignore[method-assign]  # noqa: SLF001 - there is no other way in  # pyright: ignore[reportPrivateUsage]
    return channel


class _RunningCommand(asyncio.SubprocessProtocol):
    """A process and the channel for its input and output."""

    def __init__(self, channel: SSHServerChannel[bytes]) -> None:
        self._channel = channel
        self._process: asyncio.SubprocessTransport | None = None
        self._early: list[bytes | None] = []
        self._killed = False
        self._held = False

    async def start(self, environment: CommandEnvironment) -> None:
        """Start the shell, and pass on what arrived meanwhile."""
        line = self._channel.get_command()
        arguments = ["/bin/sh", "-c", line] if line is not None else ["/bin/sh", "-s"]
        folder = environment.folder if os.path.isdir(environment.folder) else environment.root or "/"  # noqa: PTH112, ASYNC240 - one stat of a local folder
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *arguments,
                cwd=folder,
                env=environment.variables(dict(self._channel.get_environment())),
                start_new_session=True,
            )
        except OSError as error:
            self._channel.write_stderr(f"cannot start a shell: {error}\n".encode())
            self._channel.exit(126)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass on what has arrived meanwhile; a short command may have ended before `start` returns."""
        self._process = cast("asyncio.SubprocessTransport", transport)
        if self._killed:
            self.kill()
        if self._held:
            self.hold_output(held=True)
        for data in self._early:
            self._pass_on(data)

    def feed(self, data: bytes) -> None:
        """Give the command input."""
        if self._process:
            self._pass_on(data)
        else:
            self._early.append(data)

    def end_input(self) -> None:
        """Close the command's input."""
        if self._process:
            self._pass_on(None)
        else:
            self._early.append(None)

    def hold_output(self, *, held: bool) -> None:
        """Stop or resume reading what the command writes."""
        self._held = held
        for number in (1, 2):
            pipe = self._process and self._process.get_pipe_transport(number)
            if isinstance(pipe, asyncio.ReadTransport) and not pipe.is_closing():
                if held:
                    pipe.pause_reading()
                else:
                    pipe.resume_reading()

    def send_signal(self, name: str) -> None:
        """Send a signal, by its name in SSH (`TERM`), to the command and what it has started."""
        number = getattr(signal, f"SIG{name}", None)
        if isinstance(number, signal.Signals):
            self._signal_group(number)

    def kill(self) -> None:
        """End the command and what it has started; if it has ended, only close its output."""
        self._killed = True
        self._signal_group(signal.SIGKILL)
        self._let_go()

    def pause_writing(self) -> None:
        """Make the client wait: the command does not read its input."""
        self._channel.pause_reading()

    def resume_writing(self) -> None:
        """Let the client continue: the command reads again."""
        # Not at once: asyncio's pipe is still busy, and loses data that arrives together with the end.
        asyncio.get_running_loop().call_soon(self._channel.resume_reading)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if not self._channel.is_closing():
            self._channel.write(data, _STDERR if fd == 2 else None)  # noqa: PLR2004 - standard error  # pyright: ignore[reportUnknownMemberType]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's interface
        if fd == 0:
            # It has closed its input: what still arrives is discarded, so the client must not wait.
            asyncio.get_running_loop().call_soon(self._channel.resume_reading)

    def process_exited(self) -> None:
        """Send the exit code at once, as OpenSSH does: a child left behind may keep the output open."""
        code = self._process.get_returncode() if self._process else None
        if code is None:
            return
        if self._killed:
            self._let_go()
        if self._channel.is_closing():
            return
        # asyncssh's own method also closes the channel, and loses output that is on its way.
        if code < 0:
            name = signal.Signals(-code).name.removeprefix("SIG")
            self._channel._send_request(b"exit-signal", String(name), Boolean(False), String(""), String(""))  # noqa: SLF001 - as above  # pyright: ignore[reportPrivateUsage]
        else:
            self._channel._send_request(b"exit-status", UInt32(code))  # noqa: SLF001 - as above  # pyright: ignore[reportPrivateUsage]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's interface
        """Close the channel: the command and its output have ended."""
        self._channel.close()

    def _let_go(self) -> None:
        if self._process and self._process.get_returncode() is not None:
            self._process.close()

    def _pass_on(self, data: bytes | None) -> None:
        pipe = self._process and self._process.get_pipe_transport(0)
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            return
        if data is None:
            pipe.close()
        else:
            pipe.write(data)

    def _signal_group(self, number: signal.Signals) -> None:
        process = self._process
        if process is None or process.get_returncode() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.get_pid(), number)
