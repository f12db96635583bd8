"""What goes wrong with an SSH host: each a clear fault of its kind, in time, without a secret in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from tests.reach.resources.conftest import context_for
from tests.support.sshd import free_port

from ensue.core.contracts.connection import Command
from ensue.core.errors import (
    AuthenticationError,
    HostKeyError,
    RemoteError,
    RemoteFileError,
    RemoteTimeoutError,
    ResourceError,
    UnreachableError,
)
from ensue.core.model.srn import Srn
from ensue.reach.resources import ssh_host
from ensue.reach.resources.ssh_host.connection import SshConnection
from ensue.reach.resources.ssh_host.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

pytestmark = pytest.mark.openssh


def fault_of(connection: SshConnection) -> RemoteError:
    """Ping, and return the fault."""

    async def scene() -> RemoteError:
        try:
            with pytest.raises(RemoteError) as caught:
                await ssh_host.ping(connection)
        finally:
            await connection.close()
        return caught.value

    return asyncio.run(scene())


def test_an_unknown_host_key_is_refused(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path
) -> None:
    """Without a key to compare with, the error shows the host's fingerprint, and how to vouch for it."""
    (tmp_path / "known_hosts").write_text("")
    for known_hosts in ("known_hosts", "absent"):
        fault = fault_of(ssh(sshd.config(host_key=None, known_hosts=str(tmp_path / known_hosts))))
        assert isinstance(fault, HostKeyError)
        text = str(fault)
        seen = asyncssh.import_public_key(sshd.host_key)
        assert seen.get_fingerprint() in text
        assert f'host_key: "{" ".join(sshd.host_key.split()[:2])}' in text
        assert "ssh_host:host" in text
        assert f"127.0.0.1:{sshd.port}" in text


def test_a_wrong_host_key_is_refused(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """The error shows both fingerprints: that of the host and the expected one."""
    wrong = asyncssh.generate_private_key("ssh-ed25519")
    fault = fault_of(ssh(sshd.config(host_key=wrong.export_public_key("openssh").decode())))
    assert isinstance(fault, HostKeyError)
    assert wrong.get_fingerprint() in str(fault)
    assert asyncssh.import_public_key(sshd.host_key).get_fingerprint() in str(fault)


def test_a_wrong_kind_of_host_key_is_refused(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A host with an ed25519 key where an ECDSA key is expected is refused as such, not as broken."""
    wrong = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    fault = fault_of(ssh(sshd.config(host_key=wrong.export_public_key("openssh").decode())))
    assert isinstance(fault, HostKeyError)
    assert wrong.get_fingerprint() in str(fault)


@pytest.mark.parametrize("form", ["fingerprint", "list", "line of known_hosts"])
def test_forms_of_a_pinned_key(sshd: Sshd, ssh: Callable[..., SshConnection], form: str) -> None:
    """A fingerprint, a list of keys, and a line as known_hosts has it vouch for a host too."""
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode()
    host_key: Any = {
        "fingerprint": asyncssh.import_public_key(sshd.host_key).get_fingerprint(),
        "list": [other, sshd.host_key],
        "line of known_hosts": f"[127.0.0.1]:{sshd.port} {sshd.host_key}",
    }[form]
    assert asyncio.run(answers(ssh(sshd.config(host_key=host_key)))) is True


@pytest.mark.parametrize("port_in_name", [True, False])
def test_known_hosts(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, *, port_in_name: bool
) -> None:
    """A known_hosts file vouches for a host; a revoked key in it never does."""
    name = f"[127.0.0.1]:{sshd.port}" if port_in_name else "127.0.0.1"
    path = tmp_path / "known_hosts"
    path.write_text(f"{name} {sshd.host_key}\n")
    assert asyncio.run(answers(ssh(sshd.config(host_key=None, known_hosts=str(path))))) is True
    path.write_text(f"{name} {sshd.host_key}\n@revoked * {sshd.host_key}\n# changed\n")
    assert isinstance(fault_of(ssh(sshd.config(host_key=None, known_hosts=str(path)))), HostKeyError)


def test_hashed_names_of_known_hosts(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """A known_hosts file whose names ssh-keygen has hashed vouches for a host as a plain one does."""
    path = tmp_path / "known_hosts"
    path.write_text(f"[127.0.0.1]:{sshd.port} {sshd.host_key}\n")
    subprocess.run(["ssh-keygen", "-H", "-f", path], check=True, capture_output=True)
    assert "127.0.0.1" not in path.read_text()
    assert asyncio.run(answers(ssh(sshd.config(host_key=None, known_hosts=str(path))))) is True
    other = path.read_text().replace("|1|", "|1|AAAA", 1)
    path.write_text(other)
    assert isinstance(fault_of(ssh(sshd.config(host_key=None, known_hosts=str(path)))), HostKeyError)


def test_a_wrong_password(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """The error names the user and the methods that were tried, and does not show the password."""
    fault = fault_of(ssh(sshd.config(private_key=None, password="not-the-p4ssword")))
    assert isinstance(fault, AuthenticationError)
    assert "not-the-p4ssword" not in str(fault)
    assert f"`{sshd.user}`" in str(fault)
    assert "password" in str(fault)


def test_a_wrong_key(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A key that the host does not know is refused; nothing of it is in the error."""
    key = asyncssh.generate_private_key("ssh-ed25519").export_private_key("openssh").decode()
    fault = fault_of(ssh(sshd.config(private_key=key)))
    assert isinstance(fault, AuthenticationError)
    assert key.splitlines()[1] not in str(fault)


def test_keys_that_cannot_be_read(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """The error says whether the key, its file or its passphrase is wrong, and has no secret."""
    sealed = asyncssh.generate_private_key("ssh-ed25519").export_private_key(
        "openssh", passphrase="opensesame"
    )
    (tmp_path / "sealed").write_bytes(sealed)
    for config, word in (
        ({"private_key": "-----BEGIN nonsense"}, "cannot be read"),
        ({"private_key": None, "priv": str(tmp_path / "absent")}, "No such file"),
        ({"private_key": sealed.decode()}, "passphrase"),
        ({"private_key": sealed.decode(), "passphrase": "wr0ngphrase"}, "passphrase"),
        ({"private_key": None, "priv": str(tmp_path / "sealed"), "passphrase": "wr0ngphrase"}, "passphrase"),
    ):
        fault = fault_of(ssh(sshd.config(**config)))
        assert isinstance(fault, AuthenticationError), config
        assert word in str(fault)
        assert "wr0ngphrase" not in str(fault)


def test_a_sealed_key_in_a_file(own_sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """`priv` and `passphrase`, as Salt spells them, open the door."""
    key = asyncssh.import_private_key(own_sshd.private_key)
    (tmp_path / "key").write_bytes(key.export_private_key("openssh", passphrase="opensesame"))
    config = own_sshd.config(private_key=None, priv=str(tmp_path / "key"), passphrase="opensesame")
    assert asyncio.run(answers(ssh(config))) is True


def test_an_agent(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """The keys of an agent open the door; an agent that is not there does not, nor does `agent: false`."""

    async def scene() -> None:
        (tmp_path / "key").write_text(sshd.private_key)
        (tmp_path / "key").chmod(0o600)
        socket = str(tmp_path / "agent")
        agent = await asyncio.create_subprocess_exec(
            "ssh-agent", "-D", "-a", socket, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        assert agent.stdout is not None
        await agent.stdout.readline()
        try:
            adding = await asyncio.create_subprocess_exec(
                "ssh-add",
                "-q",
                str(tmp_path / "key"),
                env=os.environ | {"SSH_AUTH_SOCK": socket},
                stdin=asyncio.subprocess.DEVNULL,
            )
            assert await adding.wait() == 0
            assert await answers(ssh(sshd.config(private_key=None, agent=socket))) is True
        finally:
            agent.terminate()
            await agent.wait()

    asyncio.run(scene())
    absent = sshd.config(private_key=None, agent=str(tmp_path / "absent"), password="x")
    assert isinstance(fault_of(ssh(absent)), AuthenticationError)


def test_nothing_listens() -> None:
    """A refused port is tried as often as configured, with growing pauses, and then reported."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    settings = settings_from(
        Srn("ssh_host", "h"), {"host": "127.0.0.1", "port": free_port(), "connect_attempts": 7}
    )
    connection = SshConnection(Srn("ssh_host", "h"), settings, lambda _: pytest.fail("no jump"), pause=pause)
    fault = fault_of(connection)
    assert isinstance(fault, UnreachableError)
    assert "nothing listens there" in str(fault)
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0]


def test_a_name_that_nobody_knows(ssh: Callable[..., SshConnection]) -> None:
    """The error has the name."""
    fault = fault_of(ssh({"host": "no-such-host.invalid", "connect_attempts": 1}))
    assert isinstance(fault, UnreachableError)
    assert "no-such-host.invalid" in str(fault)


def test_a_host_that_comes_up_late(own_sshd: Sshd) -> None:
    """What refuses at first and listens later is reached."""
    own_sshd.stop()

    async def pause(_: float) -> None:
        own_sshd.start()

    settings = settings_from(Srn("ssh_host", "h"), own_sshd.config())
    connection = SshConnection(Srn("ssh_host", "h"), settings, lambda _: pytest.fail("no jump"), pause=pause)
    assert asyncio.run(answers(connection)) is True


@pytest.mark.parametrize("says", [b"", b"SSH-2.0-nothing\r\n"])
def test_a_host_that_hangs(ssh: Callable[..., SshConnection], says: bytes) -> None:
    """A host that accepts and says nothing, or nothing more, costs the timeout; all that wait share it."""

    async def scene() -> tuple[list[RemoteError], int]:
        async with _listener(says) as (port, accepted):
            connection = ssh({"host": "127.0.0.1", "port": port, "connect_timeout_s": 0.5})
            answers = await asyncio.gather(
                *(ssh_host.ping(connection) for _ in range(10)), return_exceptions=True
            )
            await connection.close()
            return [each for each in answers if isinstance(each, RemoteError)], len(accepted)

    faults, accepted = asyncio.run(scene())
    assert len(faults) == 10
    assert all(isinstance(fault, RemoteTimeoutError) and fault.timeout_s == 0.5 for fault in faults)
    assert accepted == 1
    assert "connect_timeout_s" in str(faults[0])


def test_a_host_that_hangs_is_not_asked_by_every_state(ssh: Callable[..., SshConnection]) -> None:
    """Whoever comes within the time that the first attempt took gets its answer; nobody connects again."""

    async def scene() -> int:
        asked = 0

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            asked += 1
            with contextlib.suppress(OSError):
                await reader.read()
            writer.close()
            ended.set()

        ended = asyncio.Event()
        server = await asyncio.start_server(hang, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        connection = ssh({"host": "127.0.0.1", "port": port, "connect_timeout_s": 0.5})
        for _ in range(20):
            with pytest.raises(RemoteTimeoutError):
                await ssh_host.ping(connection)
        await connection.close()
        await ended.wait()
        server.close()
        return asked

    assert asyncio.run(scene()) == 1


def test_a_host_that_speaks_something_else(ssh: Callable[..., SshConnection]) -> None:
    """Something that is no SSH server is reported as unreachable."""

    async def scene() -> RemoteError:
        async with _listener(b"HTTP/1.1 400 Bad Request\r\n\r\n", close=True) as (port, _):
            with pytest.raises(RemoteError) as caught:
                await ssh_host.ping(ssh({"host": "127.0.0.1", "port": port, "connect_attempts": 1}))
            return caught.value

    assert isinstance(asyncio.run(scene()), UnreachableError)


def test_a_server_that_dies_in_the_middle(own_sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A lost connection is an error of what ran over it, is not repeated, and the next use connects anew."""

    async def scene() -> None:
        connection = ssh(own_sshd.config())
        try:
            async with asyncio.TaskGroup() as group:
                running = group.create_task(
                    _caught(connection.run(Command(shell_line="mkdir /tmp/$$; sleep 300")))
                )
                reading = group.create_task(_caught(connection.read("/proc/kmsg")))
                await connection.run(Command(shell_line="true"))
                reading.cancel()
                own_sshd.kill_sessions()
            fault = running.result()
            assert isinstance(fault, UnreachableError)
            assert "lost" in str(fault)
            assert await ssh_host.ping(connection) is True
            await connection.write("/tmp/ensue-reconnected", b"x")
            own_sshd.kill_sessions()
            for _ in range(2):
                # The first of them may find out; nothing after it does.
                with contextlib.suppress(UnreachableError):
                    await connection.remove("/tmp/ensue-reconnected")
            assert await connection.stat("/tmp/ensue-reconnected") is None
            assert own_sshd.connections() == 1
        finally:
            await connection.close()

    asyncio.run(scene())


def test_one_connection_for_all(own_sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """Thirty users at once make one connection, and share it though the server allows only three sessions."""
    own_sshd.stop()
    with (own_sshd.folder / "sshd_config").open("a") as file:
        file.write("MaxSessions 3\n")
    own_sshd.start()

    async def scene() -> None:
        connection = ssh(own_sshd.config())
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(connection.run(Command(shell_line=f"echo {n}"))) for n in range(30)
                ]
                reads = [group.create_task(connection.read("/etc/passwd")) for _ in range(10)]
            assert [task.result().stdout for task in tasks] == [f"{n}\n".encode() for n in range(30)]
            assert len({task.result() for task in reads}) == 1
            assert own_sshd.connections() == 1
        finally:
            await connection.close()

    asyncio.run(scene())


def test_a_server_without_sftp(own_sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """Files go through the shell; with `files: sftp` that is an error."""
    own_sshd.stop()
    config = own_sshd.folder / "sshd_config"
    config.write_text(
        "\n".join(line for line in config.read_text().splitlines() if "Subsystem" not in line) + "\n"
    )
    own_sshd.start()

    async def scene() -> None:
        connection = ssh(own_sshd.config())
        try:
            await connection.write(f"{tmp_path}/file", b"through the shell")
            assert await connection.read(f"{tmp_path}/file") == b"through the shell"
        finally:
            await connection.close()
        insisting = ssh(own_sshd.config(files="sftp"))
        try:
            with pytest.raises(UnreachableError, match="files: shell"):
                await insisting.read(f"{tmp_path}/file")
        finally:
            await insisting.close()

    asyncio.run(scene())


def test_the_default_time_limit(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """`timeout_s` of the configuration holds for commands that bring none."""

    async def scene() -> None:
        connection = ssh(sshd.config(timeout_s=0.3))
        try:
            with pytest.raises(RemoteTimeoutError):
                await connection.run(Command(shell_line="sleep 300"))
            assert (await connection.run(Command(shell_line="sleep 0.5", timeout_s=5))).returncode == 0
        finally:
            await connection.close()

    asyncio.run(scene())


def test_a_wrong_configuration_is_refused_whole() -> None:
    """`connect` lists everything that is wrong."""
    with pytest.raises(ResourceError) as caught:
        ssh_host.connect(context_for({"hots": "x", "port": 0}))
    assert "did you mean `host`?" in str(caught.value)
    assert "`port`" in str(caught.value)


async def answers(connection: SshConnection) -> bool:
    """Ping and close."""
    try:
        return await ssh_host.ping(connection)
    finally:
        await connection.close()


async def _caught(asking: Any) -> Exception | None:
    try:
        await asking
    except (RemoteError, RemoteFileError) as fault:
        return fault
    return None


@contextlib.asynccontextmanager
async def _listener(
    says: bytes, *, close: bool = False
) -> AsyncGenerator[tuple[int, list[asyncio.StreamWriter]]]:
    """Listen, send each client one text and nothing more; yield the port and the clients."""
    writers: list[asyncio.StreamWriter] = []

    def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(says)
        if close:
            writer.close()
        writers.append(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], writers
    finally:
        for writer in writers:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        server.close()
        await server.wait_closed()
