"""Connections to servers that do everything wrong: what is kept of what they say, and for how long."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.resources.conftest import context_for
from tests.support.hostile_sftp import FILES
from tests.support.hostile_sshd import hostile_servers

from ensue.core.contracts.connection import Command
from ensue.core.errors import HostKeyError, RemoteError, RemoteTimeoutError, UnreachableError
from ensue.reach.resources import ssh_host
from ensue.reach.resources.ssh_host import sessions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from tests.support.hostile_sshd import HostileServers

    from ensue.core.contracts.connection import Connection

KINDS = (
    "noisy",
    "fine",
    "floods_stdout",
    "floods_stderr",
    "never_ends",
    "drops_in_command",
    "no_status",
    *FILES,
)


@pytest.fixture(scope="module")
def servers() -> Iterator[HostileServers]:
    with hostile_servers(*KINDS) as running:
        yield running


def with_connection(
    servers: HostileServers, kind: str, work: Callable[[Connection], Awaitable[Any]], **more: Any
) -> Any:
    async def run() -> Any:
        config = servers.config(kind, connect_attempts=1, **more)
        connection = ssh_host.connect(context_for(config, id_=kind))
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


@pytest.mark.parametrize("files", ["sftp", "shell"])
def test_what_a_login_shell_prints_is_no_answer(servers: HostileServers, tmp_path: Path, files: str) -> None:
    """Noise before the output of every command is neither output nor anything that a file operation reads."""
    place = str(tmp_path / "file")

    async def work(connection: Connection) -> None:
        done = await connection.run(Command(shell_line="echo out; echo err >&2; exit 3"))
        assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
        await connection.write(place, b"content\n", mode=0o600)
        assert await connection.read(place) == b"content\n"
        path_stat = await connection.stat(place)
        assert path_stat is not None
        assert (path_stat.kind, path_stat.mode, path_stat.size_bytes) == ("file", 0o600, 8)
        assert await connection.list_directory(str(tmp_path)) == ["file"]
        assert len(await connection.checksum(place) or "") == 64
        assert await connection.stat(f"{place}.gone") is None

    with_connection(servers, "noisy", work, files=files)


def test_what_a_login_shell_prints_is_no_grain(servers: HostileServers) -> None:
    """A host's grains are those that the script gathers."""
    context = context_for(servers.config("noisy"))
    grains = with_connection(servers, "noisy", lambda connection: ssh_host.grains(connection, context))
    assert grains["kernel"] == "Linux"


@pytest.mark.parametrize("kind", ["floods_stdout", "floods_stderr"])
def test_output_without_end_is_cut(
    servers: HostileServers, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that writes more than is kept fails, without any limit of time, and its session is closed."""
    monkeypatch.setattr(sessions, "MOST_BYTES", 1 << 20)

    async def work(connection: Connection) -> None:
        with pytest.raises(RemoteError, match="wrote more than"):
            await connection.run(Command(argv=["yes"]))

    with_connection(servers, kind, work)


@pytest.mark.parametrize("kind", ["never_ends", "floods_stdout", "floods_stderr"])
def test_a_command_without_end_is_given_up(servers: HostileServers, kind: str) -> None:
    """The command's own limit holds, whatever the server does meanwhile and afterwards."""

    async def work(connection: Connection) -> None:
        with pytest.raises(RemoteTimeoutError, match=r"did not end within 0.5 s"):
            await connection.run(Command(argv=["yes"], timeout_s=0.5))

    with_connection(servers, kind, work, connect_timeout_s=60)


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        ("drops_in_command", UnreachableError, "was lost while a command ran"),
        ("no_status", RemoteError, "without an exit status"),
    ],
)
def test_a_command_of_which_nothing_is_known(
    servers: HostileServers, kind: str, error: type[RemoteError], text: str
) -> None:
    """A session that ends without an exit status is an error that says so."""

    async def work(connection: Connection) -> None:
        with pytest.raises(error, match=text):
            await connection.run(Command(argv=["true"]))

    with_connection(servers, kind, work)


OPERATIONS: dict[str, Callable[[Connection], Awaitable[object]]] = {
    "read": lambda connection: connection.read("/x/1"),
    "write": lambda connection: connection.write("/x/1", b"x"),
    "stat": lambda connection: connection.stat("/x/1"),
    "checksum": lambda connection: connection.checksum("/x/1"),
    "list_directory": lambda connection: connection.list_directory("/x/1"),
    "make_directory": lambda connection: connection.make_directory("/x/1", parents=True),
    "remove": lambda connection: connection.remove("/x/1", recursive=True),
    "symlink": lambda connection: connection.symlink("/y", "/x/1"),
    "rename": lambda connection: connection.rename("/x/1", "/x/2"),
    "set_mode": lambda connection: connection.set_mode("/x/1", 0o644),
    "set_owner": lambda connection: connection.set_owner("/x/1", user="root"),
    "set_times": lambda connection: connection.set_times("/x/1", atime_s=0, mtime_s=0),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_file_operation_ends(servers: HostileServers, kind: str) -> None:
    """Each operation returns, or raises an error of its contract, within the host's limit."""

    async def work(connection: Connection) -> None:
        for operation in OPERATIONS.values():
            try:
                async with asyncio.timeout(300):
                    await operation(connection)
            except RemoteError:
                continue

    with_connection(servers, kind, work, timeout_s=0.3, connect_timeout_s=60)


def test_a_host_key_that_changes_is_refused(servers: HostileServers) -> None:
    """The key is compared at every connection: a host that comes back with another one is another host."""

    async def work(connection: Connection) -> None:
        assert (await connection.run(Command(argv=["true"]))).returncode == 0
        servers.change_host_key("fine")
        await connection.close()
        with pytest.raises(HostKeyError, match="somebody intercepts the connection"):
            await connection.run(Command(argv=["true"]))

    with_connection(servers, "fine", work)
