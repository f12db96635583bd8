"""What a connection costs: the cipher that is chosen, requests and packets per file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.sshd import running_sshd

from ensue.core.contracts.connection import Command
from ensue.reach.resources.ssh_host.sftp_session import SftpSession

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.reach.resources.ssh_host.connection import SshConnection
    from ensue.reach.resources.ssh_host.sftp_messages import SftpMessageKind, SftpReply

pytestmark = pytest.mark.openssh


def chosen_cipher(connection: SshConnection) -> str:
    """Return the name of the cipher that a host and we agree on."""

    async def scene() -> str:
        try:
            await connection.run(Command(argv=["true"]))
            live = await connection.channel().transport.connected()
            return str(live.get_extra_info("send_cipher"))
        finally:
            await connection.close()

    return asyncio.run(scene())


def test_aes_gcm_is_chosen_first(sshd: Sshd, ssh: Callable[..., SshConnection]) -> None:
    """A server that offers everything gets AES-GCM, which costs the least here."""
    assert chosen_cipher(ssh(sshd.config())) == "aes128-gcm@openssh.com"


def test_a_server_without_aes_gcm(sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path) -> None:
    """A server that offers only chacha20 gets that."""
    only = "chacha20-poly1305@openssh.com"
    with running_sshd(tmp_path, user=sshd.user, options={"Ciphers": only}) as server:
        assert chosen_cipher(ssh(server.config())) == only


def packets_of(
    connection: SshConnection, scene: Callable[[], Awaitable[object]], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int]:
    """Return how many requests and how many packets of SSH a scene takes on a connection that is in use."""
    requests: list[SftpMessageKind] = []
    packets: list[int] = []
    ask = SftpSession.ask

    def counted(
        self: SftpSession, kind: SftpMessageKind, body: bytes, **more: SftpMessageKind
    ) -> Future[SftpReply]:
        requests.append(kind)
        return ask(self, kind, body, **more)

    class Counting(SftpSession):
        def connection_made(self, chan: Any) -> None:
            write = chan.write

            def counted_write(data: bytes) -> None:
                packets.append(len(data))
                write(data)

            chan.write = counted_write
            super().connection_made(chan)

    async def whole() -> tuple[int, int]:
        try:
            await connection.stat("/")
            monkeypatch.setattr(SftpSession, "ask", counted)
            before = len(packets)
            await scene()
            return len(requests), len(packets) - before
        finally:
            await connection.close()

    monkeypatch.setattr("ensue.reach.resources.ssh_host.channel.SftpSession", Counting)
    return asyncio.run(whole())


def test_the_requests_of_an_unchanged_file(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at a small file and its checksum are five requests: stat, stat, open, read and close."""
    (tmp_path / "file").write_bytes(b"content")
    connection = ssh(sshd.config())

    async def scene() -> None:
        await connection.stat(f"{tmp_path}/file", follow=True)
        await connection.checksum(f"{tmp_path}/file")

    assert packets_of(connection, scene, monkeypatch) == (5, 4)


def test_files_that_are_looked_at_together_share_packets(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred files that are asked for in the same moment cost one packet of SSH."""
    connection = ssh(sshd.config())

    async def scene() -> None:
        await asyncio.gather(*(connection.stat(f"{tmp_path}/{number}") for number in range(100)))

    assert packets_of(connection, scene, monkeypatch) == (100, 1)


def test_the_requests_of_a_new_file(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing a small file takes four round trips: look, make, fill and flush, move into place."""
    connection = ssh(sshd.config())

    async def scene() -> None:
        await connection.write(f"{tmp_path}/file", b"content", mode=0o640)

    assert packets_of(connection, scene, monkeypatch) == (9, 4)
    assert (tmp_path / "file").read_bytes() == b"content"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
