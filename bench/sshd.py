"""Many SSH hosts on one machine: OpenSSH servers on loopback addresses, each with files of its own.

A server runs in a mount namespace in which one folder is another one for each host, so that the same path is
a different file on every host. That takes root.
"""

from __future__ import annotations

import collections
import os
import shutil
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

_SSHD: Final = "/usr/sbin/sshd"
_CONFIG: Final = """\
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
AllowUsers root@127.0.0.0/8
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 5000
SetEnv SHLVL=9
Subsystem sftp /usr/lib/openssh/sftp-server
"""
"""`SHLVL` keeps bash from reading the ~/.bashrc of root for each command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Running hosts.

    Args:
        folder: keys, `known_hosts`, and `hosts/<id>` with the files of each host.
        port: where all of them listen.
        addresses: of the hosts, by id.
    """

    folder: Path
    port: int
    addresses: dict[str, str]

    @property
    def target(self) -> Path:
        """The folder that is another one on each host."""
        return self.folder / "target"

    def files(self, id_: str) -> Path:
        """Where the files of a host's `target` are."""
        return self.folder / "hosts" / id_


def missing_part() -> str:
    """Return what keeps hosts from being started here; empty when nothing does."""
    if os.geteuid() != 0:
        return "they take root"
    missing = [name for name in (_SSHD, "unshare", "mount", "ssh-keygen") if shutil.which(name) is None]
    return f"{missing[0]} is not installed" if missing else ""


@contextmanager
def running_hosts(folder: Path, count: int) -> Generator[Hosts]:
    """Start hosts, each a server of its own; end them at the end.

    Args:
        folder: an empty folder.
        count: how many, 250 at most.
    """
    addresses = {f"host-{number:04}": f"127.7.0.{number + 1}" for number in range(count)}
    hosts = _prepared(folder, addresses)
    commands: list[list[str]] = []
    for id_, address in addresses.items():
        hosts.files(id_).mkdir(parents=True)
        config = _write_config(hosts, id_, address)
        script = f"mount --bind {hosts.files(id_)} {hosts.target} && exec {_SSHD} -D -e -f {config}"
        commands.append(["unshare", "-m", "/bin/sh", "-c", script])
    with _running(commands):
        yield hosts


@contextmanager
def running_crowd(folder: Path, count: int) -> Generator[Hosts]:
    """Start one server that is many hosts, all with the same files; end it at the end.

    Args:
        folder: an empty folder.
        count: how many.
    """
    addresses = {f"host-{n:04}": f"127.8.{n // 250}.{n % 250 + 1}" for n in range(count)}
    hosts = _prepared(folder, addresses)
    config = _write_config(hosts, "crowd", "0.0.0.0")  # noqa: S104 - only root@127.0.0.0/8 may log in
    with _running([[_SSHD, "-D", "-e", "-f", str(config)]]):
        yield hosts


def silent_port() -> tuple[socket.socket, int]:
    """Return a socket that accepts connections on every address and never says anything, and its port."""
    listener = socket.socket()
    listener.bind(("0.0.0.0", 0))  # noqa: S104 - nothing is ever read from it
    listener.listen(4096)
    return listener, int(listener.getsockname()[1])


def _prepared(folder: Path, addresses: dict[str, str]) -> Hosts:
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host_key", "key"):
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(argv, check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    hosts = Hosts(folder=folder, port=port, addresses=addresses)
    hosts.target.mkdir()
    key = " ".join((folder / "host_key.pub").read_text().split()[:2])
    lines = [f"[{address}]:{port} {key}\n" for address in addresses.values()]
    (folder / "known_hosts").write_text("".join(lines))
    return hosts


def _write_config(hosts: Hosts, name: str, address: str) -> Path:
    config = hosts.folder / f"{name}.conf"
    config.write_text(_CONFIG.format(port=hosts.port, address=address, folder=hosts.folder))
    return config


@contextmanager
def _running(commands: list[list[str]]) -> Generator[None]:
    """Run servers, from when all of them listen; their sessions end with the connections."""
    reading, writing = os.pipe()
    processes: list[subprocess.Popen[bytes]] = []
    with ExitStack() as until_listening:
        said = until_listening.enter_context(os.fdopen(reading, "rb"))
        try:
            with os.fdopen(writing, "wb") as saying:
                # One by one, so that a signal in between leaves none that is not in the list.
                processes.extend(_started(argv, saying) for argv in commands)
            listening = (line for line in said if b"Server listening" in line)
            if len(list(islice(listening, len(commands)))) < len(commands):
                msg = "not all SSH servers could be started"
                raise RuntimeError(msg)
            threading.Thread(target=_read_on, args=(said,), daemon=True).start()
            until_listening.pop_all()
            yield
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
            for process in processes:
                process.wait()


def _read_on(said: IO[bytes]) -> None:
    """Read what servers say, so that none waits for its reader; their last session ends it."""
    with said:
        collections.deque(said, 0)


def _started(argv: list[str], saying: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=saying, start_new_session=True
    )
