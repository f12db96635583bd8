"""A real OpenSSH server for tests: Debian's /usr/sbin/sshd on a free loopback port, as the current user."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path("/usr/sbin/sshd")
SFTP_SERVER = Path("/usr/lib/openssh/sftp-server")
START_TIMEOUT_S = 300.0


@dataclass(slots=True, kw_only=True)
class Sshd:
    """A running server.

    Args:
        folder: what it keeps.
        port: where it listens.
        user: who may log in.
        host_key: its public key.
        private_key: a key that it lets in.
        process: the listener.
    """

    folder: Path
    port: int
    user: str
    host_key: str
    private_key: str
    options: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def config(self, **more: Any) -> dict[str, Any]:
        """Return the configuration of an ssh_host that logs in here."""
        return {
            "host": "127.0.0.1",
            "port": self.port,
            "user": self.user,
            "private_key": self.private_key,
            "host_key": self.host_key,
            **more,
        }

    def start(self) -> None:
        """Start the listener and wait until it accepts."""
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [*_dies_with_us(), PROGRAM, "-D", "-e", "-f", self.folder / "sshd_config"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_listening()

    def stop(self) -> None:
        """End the listener and every session."""
        if self.process is None:
            return
        for pid in [self.process.pid, *self.session_pids()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.process.wait(10)
        self.process = None

    def kill_sessions(self) -> None:
        """Kill the processes that serve connections, as a crash of the machine would."""
        monitors = self.session_pids()
        # Newer servers, and those of an ordinary user, hand the connection to a child.
        servants = [child for monitor in monitors for child in _children(monitor, "sshd")]
        for pid in (*servants, *monitors):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def session_pids(self) -> list[int]:
        """Return the processes that serve connections."""
        assert self.process is not None
        return _children(self.process.pid)

    def connections(self) -> int:
        """Return how many connections are being served."""
        return len(self.session_pids())

    def _wait_until_listening(self) -> None:
        """Read the log, again whenever it grew, until the server says that it listens."""
        assert self.process is not None
        with (self.folder / "log").open("rb") as log, contextlib.closing(inotify(self.folder)) as changes:
            while b"Server listening" not in log.read():
                if self.process.poll() is not None:
                    message = f"sshd did not start: {(self.folder / 'log').read_text()}"
                    raise AssertionError(message)
                changes.wait(START_TIMEOUT_S)
                log.seek(0)


def _children(parent: int, command: str = "") -> list[int]:
    listing = ["ps", "-o", "pid=,comm=", "--ppid", str(parent)]
    completed = subprocess.run(listing, capture_output=True, text=True, check=False)
    lines = [line.split(maxsplit=1) for line in completed.stdout.splitlines()]
    return [int(pid) for pid, name in lines if name.startswith(command)]


class inotify:  # noqa: N801 (used like a function)
    """Waits for changes of files in a folder, without polling."""

    def __init__(self, folder: Path, *, created: bool = False) -> None:
        import ctypes

        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_CLOEXEC)
        modify, create = 0x2, 0x100
        mask = create if created else modify
        self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask)

    def wait(self, timeout_s: float) -> None:
        import select

        ready, _, _ = select.select([self._descriptor], [], [], timeout_s)
        assert ready, "nothing changed in the folder"
        os.read(self._descriptor, 4096)

    def close(self) -> None:
        os.close(self._descriptor)


def _dies_with_us() -> list[str]:
    """Return what makes the kernel end the server when the tests are killed and cannot stop it any more."""
    return ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []


@contextlib.contextmanager
def running_sshd(
    folder: Path, *, user: str, options: dict[str, str] | None = None, host_key_type: str = "ssh-ed25519"
) -> Iterator[Sshd]:
    """Start a server of its own in a folder; stop it at the end."""
    server = prepared_sshd(folder, user=user, options=options, host_key_type=host_key_type)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def prepared_sshd(
    folder: Path, *, user: str, options: dict[str, str] | None = None, host_key_type: str = "ssh-ed25519"
) -> Sshd:
    """Write keys and configuration of a server that is not yet running."""
    folder.mkdir(parents=True, exist_ok=True)
    host = asyncssh.generate_private_key(host_key_type)
    client = asyncssh.generate_private_key("ssh-ed25519")
    (folder / "host_key").write_bytes(host.export_private_key("openssh"))
    (folder / "host_key").chmod(0o600)
    (folder / "authorized_keys").write_bytes(client.export_public_key("openssh"))
    port = free_port()
    settings = {
        "Port": str(port),
        "ListenAddress": "127.0.0.1",
        "HostKey": str(folder / "host_key"),
        "PidFile": "none",
        "AuthorizedKeysFile": str(folder / "authorized_keys"),
        "StrictModes": "no",
        "UsePAM": "no",
        "PermitRootLogin": "yes",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "MaxStartups": "100",
        # A bash that sshd starts reads ~/.bashrc, and whatever the user of this machine has in it.
        "SetEnv": "SHLVL=9",
        "Subsystem": f"sftp {SFTP_SERVER}",
    } | (options or {})
    lines = [f"{key} {value}" for key, value in settings.items() if value]
    (folder / "sshd_config").write_text("\n".join(lines) + "\n")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    return Sshd(
        folder=folder,
        port=port,
        user=user,
        host_key=host.export_public_key("openssh").decode().strip(),
        private_key=client.export_private_key("openssh").decode(),
    )


def free_port() -> int:
    """Return a port of the loopback interface on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
