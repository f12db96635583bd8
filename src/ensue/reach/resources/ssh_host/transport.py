"""A pooled SSH connection to one host: made on first use, shared, and made again after it was lost.

It handles hosts, keys and jump hosts; `sessions` and `sftp_files` use the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import getpass
import logging
from typing import TYPE_CHECKING, Any, Final

import asyncssh

from ensue.core.contracts.reach import Reach
from ensue.core.errors import (
    AuthenticationError,
    HostKeyError,
    RemoteError,
    RemoteTimeoutError,
    UnreachableError,
)
from ensue.reach.resources.ssh_host.client_config import client_config
from ensue.reach.resources.ssh_host.faults import connect_error, has_credentials
from ensue.reach.resources.ssh_host.handshakes import handshakes
from ensue.reach.resources.ssh_host.host_keys import Expectation, Witness, expectation_for, host_key_error
from ensue.reach.resources.ssh_host.sessions import SessionGate

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from ensue.core.model.srn import Srn
    from ensue.reach.resources.ssh_host.settings import SshSettings

_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 5.0
_SIGNS_OF_LIFE: Final = 3
_CIPHERS: Final = "^aes128-gcm@openssh.com,aes256-gcm@openssh.com"
"""AES-GCM before asyncssh's other ciphers: a run of small files takes a third less CPU than with chacha20,
whose contexts are created for each packet."""


class Transport:
    """The connection to one host.

    Args:
        srn: its name.
        settings: how to reach it.
        through: the transport of the jump host before it, None if there is none.
        pause: waits a number of seconds between attempts.
        reach: what is known of hosts that cannot be reached; None: nothing is remembered.
    """

    def __init__(
        self,
        srn: Srn,
        settings: SshSettings,
        *,
        through: Transport | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        reach: Reach | None = None,
    ) -> None:
        self.srn = srn
        self.settings = settings
        self._through = through
        self._pause = pause
        self.reach = reach or Reach()
        self._connecting: asyncio.Task[asyncssh.SSHClientConnection] | None = None
        self._connection: asyncssh.SSHClientConnection | None = None
        self._fault: RemoteError | None = None
        self._silent_until_s = 0.0
        self.gate = SessionGate()

    async def connected(self) -> asyncssh.SSHClientConnection:
        """Return the live connection, creating it if there is none.

        All callers share one attempt, which goes on to its own deadline when they give up waiting. A host
        that could not be reached is not tried again in the same run. Outside of runs, one that has not
        answered in time is not tried again for as long as that took.

        Raises:
            UnreachableError: no connection after all attempts, or it is no longer wanted.
            HostKeyError: the host's key is not the expected one.
            AuthenticationError: the host refused the login.
            RemoteTimeoutError: the host did not answer in time.
        """
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        if self._connecting is None:
            self._connecting = self._started()
        connecting = self._connecting
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            if connecting.cancelled() and not _is_cancelled():
                raise UnreachableError(
                    f"{self.srn} is no longer connected to", target=str(self.srn)
                ) from None
            if not connecting.done() or connecting.cancelled() or connecting.exception() is not None:
                self.reach.gave_up(str(self.srn))
            raise

    async def close(self) -> None:
        """Close the connection, and end an attempt to make one; the next use creates a new one."""
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            connecting.cancel()
            await asyncio.wait([connecting], timeout=self.settings.connect_timeout_s)
        connection, self._connection = self._connection, None
        if connection is None:
            return
        connection.close()
        try:
            async with asyncio.timeout(self.settings.connect_timeout_s):
                await connection.wait_closed()
        except TimeoutError:
            connection.abort()

    @contextlib.asynccontextmanager
    async def another(self) -> AsyncGenerator[asyncssh.SSHClientConnection]:
        """Make a connection beside the shared one, which is closed at the end.

        Raises:
            RemoteError: it cannot be made.
        """
        async with await self._attempt(await self._tunnel()) as connection:
            yield connection

    def _started(self) -> asyncio.Task[asyncssh.SSHClientConnection]:
        """Start to connect.

        Raises:
            RemoteError: the host could not be reached before, and is not tried again.
        """
        is_silent = not self.reach.remembers and asyncio.get_running_loop().time() < self._silent_until_s
        if self._fault is not None and is_silent:
            raise self._fault
        if (known := self.reach.fault(str(self.srn))) is not None:
            raise known
        connecting = asyncio.create_task(self._connect_once())
        connecting.add_done_callback(self._ended)
        return connecting

    def _ended(self, connecting: asyncio.Task[asyncssh.SSHClientConnection]) -> None:
        if self._connecting is connecting:
            self._connecting = None
        if not connecting.cancelled():
            connecting.exception()  # All callers may have given up.

    async def _connect_once(self) -> asyncssh.SSHClientConnection:
        try:
            self._connection = await self._connect()
        except RemoteError as fault:
            self._fault = fault
            if not _is_ours(fault):
                self.reach.lost(fault)
            if isinstance(fault, RemoteTimeoutError):
                clock = asyncio.get_running_loop().time
                self._silent_until_s = clock() + self.settings.connect_timeout_s
            raise
        self.gate = SessionGate()
        self.reach.again(str(self.srn))
        return self._connection

    async def _connect(self) -> asyncssh.SSHClientConnection:
        for attempt in range(1, self.settings.connect_attempts + 1):
            # The jump host has its own attempts, so its failure is not retried here.
            tunnel = await self._tunnel()
            try:
                return await self._attempt(tunnel)
            except UnreachableError:
                # Only this may be temporary: a host that boots, a full queue of logins.
                if attempt == self.settings.connect_attempts:
                    raise
            await self._pause(min(_FIRST_PAUSE_S * 2 ** (attempt - 1), _LONGEST_PAUSE_S))
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _attempt(self, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
        settings = self.settings
        expectation = await asyncio.to_thread(expectation_for, self.srn, settings)
        keys = await asyncio.to_thread(self._client_keys)
        witness = Witness(expectation)
        # At level INFO, asyncssh logs whole command lines, which may contain secrets.
        logging.getLogger("asyncssh").setLevel(logging.WARNING)
        try:
            async with handshakes().one(), asyncio.timeout(settings.connect_timeout_s):
                return await asyncssh.connect(
                    settings.alias or settings.host,
                    settings.port,
                    client_factory=lambda: witness,
                    **_options(settings, expectation, keys, tunnel),
                )
        except asyncssh.HostKeyNotVerifiable as fault:
            raise host_key_error(self.srn, settings, expectation, witness) from fault
        except (OSError, asyncssh.Error) as fault:
            raise connect_error(self.srn, settings, fault) from fault

    async def _tunnel(self) -> asyncssh.SSHClientConnection | None:
        if self._through is None:
            return None
        try:
            return await self._through.connected()
        except RemoteError as fault:
            # The same kind of error, with the host it is about.
            message = f"{self.srn} is reached through {self._through.srn}: {fault}"
            raise _renamed(fault, message, target=str(self.srn)) from fault

    def _client_keys(self) -> Any:
        """Return asyncssh's client_keys: key pairs; () for agent and default keys; None for none."""
        settings = self.settings
        try:
            if settings.private_key:
                text = settings.private_key.strip() + "\n"
                return [asyncssh.import_private_key(text, settings.passphrase or None)]
            if settings.private_key_path:
                return list(asyncssh.load_keypairs(settings.private_key_path, settings.passphrase or None))
        except asyncssh.KeyEncryptionError as fault:
            what = (
                "does not open the private key"
                if settings.passphrase
                else "is needed: the private key is encrypted"
            )
            raise self._key_error(f"`passphrase` {what}") from fault
        except (asyncssh.KeyImportError, ValueError) as fault:
            is_path = settings.private_key and len(settings.private_key.split()) == 1
            meant = "for the path of a file, write `priv`" if is_path else "is a `passphrase` needed?"
            raise self._key_error(f"the private key cannot be read: {fault} ({meant})") from fault
        except OSError as fault:
            why = fault.strerror or str(fault)
            raise self._key_error(
                f"the private key {settings.private_key_path} cannot be read: {why} (check `priv`)"
            ) from fault
        return None if has_credentials(settings) and not settings.agent else ()

    def _key_error(self, why: str) -> AuthenticationError:
        message = f"{self.srn} ({self.settings.place}) cannot be logged in to: {why}"
        return AuthenticationError(message, target=str(self.srn))


def _options(
    settings: SshSettings, expectation: Expectation, keys: Any, tunnel: asyncssh.SSHClientConnection | None
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "username": settings.user or getpass.getuser(),
        "client_keys": keys,
        "known_hosts": (expectation.keys, expectation.authorities, expectation.revoked),
        "keepalive_interval": settings.keepalive_s,
        "keepalive_count_max": _SIGNS_OF_LIFE,
        "login_timeout": settings.connect_timeout_s,
        # The settings of a host are in its configuration, unless that says that they are in the user's file.
        "config": [client_config()] if settings.ssh_config else None,
        "agent_forwarding": settings.forwards_agent,
        "request_pty": False,
        "x11_forwarding": False,
        "gss_auth": False,
        "gss_kex": False,
    }
    if not settings.ssh_config:
        options["encryption_algs"] = _CIPHERS
    if settings.password:
        options["password"] = settings.password
    if not expectation.authorities:
        options["server_host_key_algs"] = expectation.algorithms()
    if settings.agent is not None:
        options["agent_path"] = settings.agent or None
    elif has_credentials(settings):
        options["agent_path"] = None
    if tunnel is not None:
        options["tunnel"] = tunnel
    return options


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _is_ours(fault: RemoteError) -> bool:
    """Return whether the reason is this process, which has as many open files as it may."""
    return isinstance(fault.__cause__, OSError) and fault.__cause__.errno == errno.EMFILE


def _renamed(fault: RemoteError, message: str, *, target: str) -> RemoteError:
    """Return an error of the same kind with another message."""
    if isinstance(fault, RemoteTimeoutError):
        return RemoteTimeoutError(message, target=target, timeout_s=fault.timeout_s)
    kind = type(fault) if isinstance(fault, HostKeyError | AuthenticationError) else UnreachableError
    return kind(message, target=target)
