"""The SSH service of a sandbox: logins and sessions.

It offers commands, SFTP and outgoing connections (for jump hosts), but no terminal, remote forwarding or
agent.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import asyncssh

from ensue.reach.resources.sandbox.commands import CommandEnvironment, SandboxSession, accept_any_bytes
from ensue.reach.resources.sandbox.confined_files import ConfinedFiles
from ensue.reach.resources.sandbox.identity import hash_password

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from ensue.reach.resources.sandbox.record import Isolation

_LOGIN_LIMIT_S: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ServiceSettings:
    """The settings of the service.

    Args:
        user: who may log in.
        password_salt: salt of the password's hash.
        password_hash: see identity.hash_password.
        host_private_key: the host key, OpenSSH format.
        isolation: how commands are isolated from the machine.
        root: the file root; empty if it is the process's own root.
    """

    user: str
    password_salt: bytes
    password_hash: bytes
    host_private_key: str
    isolation: Isolation
    root: str


def serve(settings: ServiceSettings, listener: socket.socket, *, on_listening: Callable[[], None]) -> None:
    """Serve connections until the process ends.

    Args:
        settings: logins and files.
        listener: a listening socket.
        on_listening: called once, when connections are accepted.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    asyncio.run(_serve(settings, listener, on_listening))


async def _serve(
    settings: ServiceSettings, listener: socket.socket, on_listening: Callable[[], None]
) -> None:
    acceptor = await asyncssh.listen(
        sock=listener,
        server_factory=lambda: _Login(settings),
        server_host_keys=[asyncssh.import_private_key(settings.host_private_key)],
        server_version="ensue",
        encoding=None,
        line_editor=False,
        allow_pty=False,
        x11_forwarding=False,
        agent_forwarding=False,
        kbdint_auth=False,
        public_key_auth=False,
        gss_host=None,
        login_timeout=_LOGIN_LIMIT_S,
        compression_algs=None,
        config=None,
    )
    on_listening()
    await acceptor.wait_closed()


class _Login(asyncssh.SSHServer):
    """One connection: admits the one user, by password."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - asyncssh's interface
        return True

    def password_auth_supported(self) -> bool:
        return True

    async def validate_password(self, username: str, password: str) -> bool:
        # The hash is slow on purpose; it runs in a thread so that other sessions continue.
        offered = await asyncio.to_thread(hash_password, password, self._settings.password_salt)
        right_user = hmac.compare_digest(username.encode(), self._settings.user.encode())
        return hmac.compare_digest(offered, self._settings.password_hash) and right_user

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    def session_requested(self) -> Any:
        settings = self._settings
        environment = CommandEnvironment(isolation=settings.isolation, root=settings.root, user=settings.user)
        # asyncssh leaves the kind of data open, so its type is not known.
        opened: Any = cast("Any", self._connection).create_server_channel(encoding=None)
        return accept_any_bytes(opened), SandboxSession(
            environment, lambda channel: ConfinedFiles(channel, settings.root)
        )

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> bool:  # noqa: ARG002 - asyncssh's interface
        return True
