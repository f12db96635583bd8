"""Reaching an SSH host in the ways that there are: jump hosts, passwords, grains."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import socket
from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.reach.resources.conftest import context_for
from tests.support.accounts import needs_root
from tests.support.sshd import running_sshd

from ensue.core.contracts.connection import Command
from ensue.core.errors import AuthenticationError, HostKeyError, RemoteError, ResourceError, UnreachableError
from ensue.core.model.srn import Srn
from ensue.reach.resources import ssh_host
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.minion.gathering import minion_grains
from ensue.testing.connection_contract import ConnectionContract, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.accounts import Account
    from tests.support.sshd import Sshd

    from ensue.core.contracts.connection import Connection
    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = pytest.mark.openssh


def test_grains_over_ssh_are_those_from_inside(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """One round trip brings the same grains as the machine has of itself, and who the resource is."""
    config = sshd.config()

    async def scene() -> dict[str, Any]:
        connection = ssh(config)
        try:
            return await ssh_host.grains(connection, context_for(config))
        finally:
            await connection.close()

    grains = asyncio.run(scene())
    assert (grains["id"], grains["resource_id"], grains["resource_type"]) == ("host", "host", "ssh_host")
    mine = minion_grains("host")
    same = (
        "host",
        "fqdn",
        "kernel",
        "kernelrelease",
        "os",
        "os_family",
        "osfinger",
        "mem_total",
        "num_cpus",
        "init",
    )
    assert {key: grains[key] for key in same} == {key: mine[key] for key in same}
    assert "isolation" not in grains


def test_isolation_is_told_by_the_host(own_sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A host whose commands have ENSUE_ISOLATION in their environment says so in a grain."""
    own_sshd.stop()
    config = own_sshd.folder / "sshd_config"
    config.write_text(config.read_text().replace("SHLVL=9", "SHLVL=9 ENSUE_ISOLATION=namespace"))
    own_sshd.start()

    async def scene() -> object:
        connection = ssh(own_sshd.config())
        try:
            return (await ssh_host.grains(connection, context_for({})))["isolation"]
        finally:
            await connection.close()

    assert asyncio.run(scene()) == "namespace"


def test_the_users_own_file(
    sshd: Sshd,
    own_sshd: Sshd,
    ssh: Callable[..., SshConnection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With `ssh_config`, `~/.ssh/config` says what the configuration leaves out, jump hosts included."""
    (tmp_path / ".ssh").mkdir()
    for name, server in (("key", sshd), ("gate_key", own_sshd)):
        (tmp_path / name).write_text(server.private_key)
        (tmp_path / name).chmod(0o600)
    (tmp_path / ".ssh/known_hosts").write_text(
        f"[127.0.0.1]:{sshd.port} {sshd.host_key}\n[127.0.0.1]:{own_sshd.port} {own_sshd.host_key}\n"
    )
    (tmp_path / ".ssh/config").write_text(
        f"Host gate\n  HostName 127.0.0.1\n  Port {own_sshd.port}\n  IdentityFile {tmp_path}/gate_key\n"
        f"Host web\n  HostName 127.0.0.1\n  Port {sshd.port}\n  IdentityFile {tmp_path}/key\n"
        "  ProxyJump gate\n  RequestTTY force\n"
        f"Host *\n  User {sshd.user}\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)

    async def scene(config: dict[str, Any]) -> bytes:
        connection = ssh(config)
        try:
            return (await connection.run(Command(shell_line="echo $SSH_CONNECTION; tty"))).stdout
        finally:
            await connection.close()

    stdout = asyncio.run(scene({"host": "web", "ssh_config": True}))
    assert stdout.split()[3:] == [str(sshd.port).encode(), b"not", b"a", b"tty"]
    with pytest.raises(UnreachableError):
        asyncio.run(scene({"host": "web", "ssh_config": True, "port": 1, "connect_attempts": 1}))
    (tmp_path / ".ssh/config").write_text("Port many\n")
    with pytest.raises(UnreachableError, match=r"because of `ssh_config`: .*config line 1"):
        asyncio.run(scene({"host": "web", "ssh_config": True}))


def test_path_and_umask_of_a_roster(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """`set_path` and `cmd_umask` hold for commands that have no umask of their own, and not for files."""
    config = sshd.config(set_path="/a b/$x:$PATH", cmd_umask=0o27)

    async def scene() -> None:
        connection = ssh(config)
        try:
            done = await connection.run(Command(shell_line='umask; echo "$PATH"'))
            assert done.stdout.startswith(b"0027\n/a b/$x:/")
            assert (await connection.run(Command(shell_line="umask", umask=0))).stdout == b"0000\n"
            await connection.write(f"{tmp_path}/file", b"")
            assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
        finally:
            await connection.close()

    asyncio.run(scene())


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_address_in_brackets(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """An IPv6 address is one with brackets and without."""

    async def scene(host: str) -> str:
        connection = ssh(sshd.config(host=host, port=1, connect_attempts=1))
        try:
            await connection.run(Command(shell_line="true"))
        except UnreachableError as error:
            return str(error)
        finally:
            await connection.close()
        return ""

    assert asyncio.run(scene("[::1]")) == asyncio.run(scene("::1"))
    assert "ssh_host:host ([::1]:1) cannot be reached: " in asyncio.run(scene("[::1]"))


@pytest.fixture(scope="module")
def jump(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A second server, to go through."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path_factory.mktemp("jump"), user=user) as server:
        yield server


class TestJumpHosts:
    def test_through_one_and_two(self, sshd: Sshd, own_sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
        """A host is reached through another one, and through two; each is connected to once."""

        async def scene() -> None:
            first = ssh(own_sshd.config(), id_="first")
            second = ssh(own_sshd.config(jump="first"), id_="second", others={"first": first})
            known: dict[str, Connection] = {"first": first, "second": second}
            near = ssh(sshd.config(jump="ssh_host:first"), id_="near", others=known)
            far = ssh(sshd.config(jump=["first", "second"]), id_="far", others=known)
            # Its own way would be direct; in this chain it is reached through the one before it.
            plain = ssh(own_sshd.config(), id_="plain")
            odd = ssh(sshd.config(jump=["first", "plain"]), id_="odd", others=known | {"plain": plain})
            try:
                for connection in (near, far, odd):
                    done = await connection.run(Command(shell_line="echo $SSH_CONNECTION"))
                    assert done.stdout.split()[3] == str(sshd.port).encode()
                assert own_sshd.connections() == 3
            finally:
                for connection in (odd, far, near, second, first):
                    await connection.close()

        asyncio.run(scene())

    def test_faults_of_the_jump_host_are_told_as_its_own(
        self, sshd: Sshd, jump: Sshd, ssh: Callable[..., SshConnection]
    ) -> None:
        """The error has both names and its own kind, also when the jump host cannot reach the host."""

        async def scene(first: dict[str, Any], config: dict[str, Any]) -> RemoteError:
            before = ssh(first, id_="first")
            connection = ssh(
                config | {"jump": "first", "connect_attempts": 1}, id_="target", others={"first": before}
            )
            try:
                with pytest.raises(RemoteError) as caught:
                    await ssh_host.ping(connection)
                return caught.value
            finally:
                await connection.close()
                await before.close()

        other_key = sshd.host_key
        fault = asyncio.run(scene(jump.config(host_key=other_key), sshd.config()))
        assert isinstance(fault, HostKeyError)
        assert "ssh_host:target is reached through ssh_host:first" in str(fault)
        fault = asyncio.run(scene(jump.config(), sshd.config(port=1)))
        assert isinstance(fault, UnreachableError)
        assert "the jump host cannot reach it" in str(fault)

    def test_circles_and_strangers(self, jump: Sshd, ssh: Callable[..., SshConnection]) -> None:
        """Jump hosts that lead to each other, and one that is no SSH host, are refused before connecting."""
        known: dict[str, Connection] = {}
        for id_, before in (("a", "b"), ("b", "a")):
            known[id_] = ssh(jump.config(jump=before), id_=id_, others=known)
            # The context copies nothing: both find each other.
        context = context_for(jump.config(jump="a"), id_="c", others=known)
        for id_, before in (("a", "b"), ("b", "a")):
            known[id_] = ssh_host.connect(context_for(jump.config(jump=before), id_=id_, others=known))
        with pytest.raises(UnreachableError, match="ssh_host:a → ssh_host:b → ssh_host:a"):
            asyncio.run(ssh_host.ping(ssh_host.connect(context)))
        stranger: dict[str, Connection] = {"m": MinionConnection(Srn("minion", "m"))}
        connection = ssh(jump.config(jump="m"), id_="d", others=stranger)
        with pytest.raises(ResourceError, match="no ssh_host"):
            asyncio.run(ssh_host.ping(connection))


@needs_root
def test_a_password(password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]) -> None:
    """The right password opens the door, the wrong one does not."""

    async def scene(password: str) -> bytes:
        connection = ssh(password_sshd.config(private_key=None, password=password))
        try:
            return (await connection.run(Command(shell_line="id -un; pwd"))).stdout
        finally:
            await connection.close()

    assert asyncio.run(scene(account.password)).split()[0] == account.name.encode()
    with pytest.raises(AuthenticationError):
        asyncio.run(scene(account.password + "x"))


@needs_root
class TestAsAnOrdinaryUser(ConnectionContract):
    """The contract holds for somebody who is not root."""

    @pytest.fixture
    def subject(self, password_sshd: Sshd, account: Account, ssh: Callable[..., SshConnection]) -> Subject:
        return Subject(connect=lambda: ssh(password_sshd.config(**account.login)), folder="/tmp")


def test_root_becomes_another_through_su(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """Root runs commands as another user without sudo; for other logins the error says what is missing."""

    async def scene() -> None:
        connection = ssh(sshd.config())
        try:
            command = Command(shell_line="id -un; cat", user="nobody", stdin=b"in")
            if os.geteuid() == 0:
                assert (await connection.run(command)).stdout == b"nobody\nin"
                numbered = await connection.run(Command(shell_line="id -un", user="65534"))
                assert numbered.stdout == b"nobody\n"
        finally:
            await connection.close()

    asyncio.run(scene())


class Gate:
    """A relay to a server that passes nothing on until it is opened."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._opened = asyncio.Event()
        self._ended = asyncio.Event()
        self.arrived = asyncio.Event()
        self.accepted = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.open()
        await self._ended.wait()
        self._server.close()

    def open(self) -> None:
        self._opened.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self.arrived.set()
        await self._opened.wait()
        to_server, from_server = await asyncio.open_connection("127.0.0.1", self._port)
        await asyncio.gather(_copy(reader, from_server), _copy(to_server, writer))
        self._ended.set()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while content := await reader.read(65536):
            writer.write(content)
        writer.close()
        await writer.wait_closed()


def test_an_attempt_outlives_the_caller_that_gave_up(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A later caller has the connection that an earlier one no longer waited for."""

    async def scene() -> None:
        async with Gate(sshd.port) as gate:
            connection = ssh(sshd.config(port=gate.port))
            first = asyncio.ensure_future(connection.run(Command(shell_line="true")))
            await gate.arrived.wait()
            first.cancel()
            await asyncio.wait([first])
            gate.open()
            try:
                done = await connection.run(Command(shell_line="echo reached"))
            finally:
                await connection.close()
            assert (done.stdout, gate.accepted) == (b"reached\n", 1)

    asyncio.run(scene())


def test_closing_ends_an_attempt(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A call that waits for a connection that is closed gets an error, and is not cancelled."""

    async def scene() -> None:
        async with Gate(sshd.port) as gate:
            connection = ssh(sshd.config(port=gate.port))
            running = asyncio.ensure_future(connection.run(Command(shell_line="true")))
            await gate.arrived.wait()
            await connection.close()
            with pytest.raises(UnreachableError, match="no longer connected"):
                await running

    asyncio.run(scene())
