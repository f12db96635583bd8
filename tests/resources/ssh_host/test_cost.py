"""What a connection costs: the cipher that is chosen, and the requests of an unchanged file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from asyncssh.sftp import SFTPClientHandler
from tests.support.sshd import running_sshd

from ensue.contracts.connection import Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.resources.ssh_host.connection import SshConnection

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


def test_the_requests_of_an_unchanged_file(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at a small file and its checksum are five requests: stat, stat, open, read and close."""
    (tmp_path / "file").write_bytes(b"content")
    requests: list[int] = []
    make: Any = SFTPClientHandler._make_request  # type: ignore[attr-defined]

    async def counted(self: SFTPClientHandler, kind: int, *parts: Any) -> Any:
        requests.append(kind)
        return await make(self, kind, *parts)

    async def scene() -> None:
        connection = ssh(sshd.config())
        try:
            await connection.stat(str(tmp_path))
            monkeypatch.setattr(SFTPClientHandler, "_make_request", counted)
            await connection.stat(f"{tmp_path}/file", follow=True)
            await connection.checksum(f"{tmp_path}/file")
        finally:
            await connection.close()

    asyncio.run(scene())
    assert len(requests) == 5
