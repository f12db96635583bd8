"""SSH servers that do everything wrong: one kind of wrong each, all in a process of their own.

`KINDS` names them. Those of `raw` never get as far as SSH; the others are asyncssh's server with one part
replaced. What is not replaced works: commands are run by a shell, files are those of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh
from tests.support.hostile_sftp import FILES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

_CHUNK = b"x" * 32768
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class HostileServers:
    """The running servers.

    Args:
        process: what runs them.
        host_key: the public key that they show.
        private_key: a key that they let in.
        ports: where each kind listens.
    """

    process: subprocess.Popen[str]
    host_key: str
    private_key: str
    ports: dict[str, int]

    def config(self, kind: str, **more: Any) -> dict[str, Any]:
        """Return the configuration of an ssh_host that logs in to one of them."""
        return {
            "host": "127.0.0.1",
            "port": self.ports[kind],
            "user": "anybody",
            "private_key": self.private_key,
            "host_key": self.host_key,
            **more,
        }

    def wait_for_command(self) -> str:
        """Wait until a server is given a command; return its kind."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the hostile servers have ended"
        return line.strip()

    def change_host_key(self, kind: str) -> None:
        """Show another key from the next connection on."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{kind}\n")
        self.process.stdin.flush()
        while self.wait_for_command() != "changed":
            pass


@contextlib.contextmanager
def hostile_servers(*kinds: str) -> Iterator[HostileServers]:
    """Serve these kinds until the end of the block; any other name is a server with nothing wrong."""
    client = asyncssh.generate_private_key("ssh-ed25519")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.hostile_sshd", *kinds],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ready = json.loads(process.stdout.readline())
            private_key = client.export_private_key("openssh").decode()
            yield HostileServers(process, ready["host_key"], private_key, ready["ports"])
        finally:
            process.kill()


# Servers that never get as far as SSH.


async def _silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    while await reader.read(65536):
        pass


async def _endless_banner(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"welcome, do wait\r\n" * 1000)
        await writer.drain()


async def _endless_line(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(_CHUNK)
        await writer.drain()


async def _nonsense(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(os.urandom(4096))
        await writer.drain()


async def _nonsense_after_version(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-hostile\r\n" + os.urandom(65536))
    await writer.drain()
    await asyncio.Event().wait()


async def _gone_at_once(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    pass


RAW: dict[str, Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]] = {
    "silent": _silent,
    "endless_banner": _endless_banner,
    "endless_line": _endless_line,
    "nonsense": _nonsense,
    "nonsense_after_version": _nonsense_after_version,
    "gone_at_once": _gone_at_once,
}


# What is wrong before a command runs.


class _Server(asyncssh.SSHServer):
    """Lets everybody in who has any key."""

    def begin_auth(self, username: str) -> bool:
        del username
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # type: ignore[override]
        del username, key
        return True


class _NeverAnswersLogin(_Server):
    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # type: ignore[override]
        await asyncio.Event().wait()
        return await super().validate_public_key(username, key)


class _TalksInsteadOfLogin(_Server):
    _connection: asyncssh.SSHServerConnection

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # type: ignore[override]
        while not self._connection.is_closed():
            self._connection.send_auth_banner("do wait\n" * 1000)
            await asyncio.sleep(0)
        return await super().validate_public_key(username, key)


class _RefusesEverybody(_Server):
    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # type: ignore[override]
        del username, key
        return False


class _NeverOpens(_Server):
    async def session_requested(self) -> Any:  # type: ignore[override]
        await asyncio.Event().wait()


class _RefusesSessions(_Server):
    def session_requested(self) -> bool:  # type: ignore[override]
        return False


# What is wrong with a command.

Process = asyncssh.SSHServerProcess[bytes]


async def _run(process: Process, *, before: bytes = b"") -> None:
    """Run a command as a server should; before its output there may be that of the shell's own files."""
    process.stdout.write(before)
    process.stderr.write(before)
    done = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", process.command or "",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await done.communicate(await process.stdin.read())
    process.stdout.write(out)
    process.stderr.write(err)
    process.exit(done.returncode or 0)


async def _never_ends(_: Process) -> None:
    await asyncio.Event().wait()


def _floods(to: str, chunk: bytes) -> Callable[[Process], Awaitable[None]]:
    async def flood(process: Process) -> None:
        writer = getattr(process, to)
        with contextlib.suppress(asyncssh.Error, OSError):
            while not process.is_closing():
                writer.write(chunk)
                await writer.drain()

    return flood


async def _drops(process: Process) -> None:
    process.stdout.write(b"half a l")
    process.channel.get_connection().abort()


async def _says_no_status(process: Process) -> None:
    process.stdout.write(b"done\n")
    process.close()


async def _is_killed(process: Process) -> None:
    process.exit_with_signal("KILL", core_dumped=True, msg="\x1b[2Jkilled\n" * 3)


async def _has_no_such_signal(process: Process) -> None:
    process.exit_with_signal("SIG\x1b\n", msg="")


async def _has_a_huge_status(process: Process) -> None:
    process.exit(2**31)


async def _is_noisy(process: Process) -> None:
    await _run(process, before=b"Welcome!\n\xff\x1b[2J stat: 1 2 3\nkernel=Lies\n\n")


async def _prints_nonsense(process: Process) -> None:
    process.stdout.write(os.urandom(3000))
    process.stderr.write(os.urandom(3000))
    process.exit(0)


PROCESSES: dict[str, Callable[[Process], Awaitable[None]]] = {
    "never_ends": _never_ends,
    "floods_stdout": _floods("stdout", b"line\n" * 6000),
    "floods_stderr": _floods("stderr", b"line\n" * 6000),
    "floods_without_newline": _floods("stdout", _CHUNK),
    "drops_in_command": _drops,
    "no_status": _says_no_status,
    "killed": _is_killed,
    "no_such_signal": _has_no_such_signal,
    "huge_status": _has_a_huge_status,
    "prints_nonsense": _prints_nonsense,
}


LOGINS: dict[str, type[_Server]] = {
    "never_answers_login": _NeverAnswersLogin,
    "talks_instead_of_login": _TalksInsteadOfLogin,
    "refuses_everybody": _RefusesEverybody,
    "never_opens": _NeverOpens,
    "refuses_sessions": _RefusesSessions,
}

KINDS = (*RAW, *LOGINS, *PROCESSES, *FILES)
"""Every kind of server that does something wrong."""


async def _listen_ssh(kind: str, host_key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
    async def served(process: Process) -> None:
        _say(kind)
        await PROCESSES.get(kind, _is_noisy if kind == "noisy" else _run)(process)

    # Where there is a factory of processes, the server is not asked whether it opens a session.
    opens = kind not in {"never_opens", "refuses_sessions"}
    return await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[host_key],
        server_factory=LOGINS.get(kind, _Server),
        process_factory=served if opens else None,
        sftp_factory=FILES.get(kind, asyncssh.SFTPServer) if opens else None,
        encoding=None,
        keepalive_interval=0,
        login_timeout=600,
    )


async def _listen_raw(kind: str) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await RAW[kind](reader, writer)
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


def _say(line: str) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


async def _serve(kinds: Sequence[str]) -> None:
    """Serve, say where, and change host keys on demand until the input ends."""
    # What a client does to these servers is of no interest: nothing of it is an error.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    host_key = asyncssh.generate_private_key("ssh-ed25519")
    raw = {kind: await _listen_raw(kind) for kind in kinds if kind in RAW}
    ssh = {kind: await _listen_ssh(kind, host_key) for kind in kinds if kind not in RAW}
    ports = {kind: server.sockets[0].getsockname()[1] for kind, server in raw.items()}
    ports |= {kind: acceptor.get_port() for kind, acceptor in ssh.items()}
    _say(json.dumps({"host_key": host_key.export_public_key("openssh").decode().strip(), "ports": ports}))
    while line := await asyncio.to_thread(sys.stdin.readline):
        ssh[line.strip()].update(server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")])
        _say("changed")


if __name__ == "__main__":
    logging.disable()
    asyncio.run(_serve(sys.argv[1:]))
