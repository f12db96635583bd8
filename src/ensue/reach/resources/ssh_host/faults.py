"""Turns errors of asyncssh and the system into ensue's exceptions: which host, why, how to fix it."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

import asyncssh

from ensue.core.errors import AuthenticationError, RemoteError, RemoteTimeoutError, UnreachableError
from ensue.reach.resources.answers import MOST_BYTES
from ensue.reach.resources.client_process import quoted_end

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.ssh_host.settings import SshSettings


def connect_error(srn: Srn, settings: SshSettings, fault: Exception) -> RemoteError:
    """Return the error of a failed attempt to connect.

    Args:
        srn: the host's name.
        settings: the settings of the connection.
        fault: the error; `HostKeyNotVerifiable` is not expected here.
    """
    where = f"{srn} ({settings.place})"
    match fault:
        case TimeoutError():
            limit_s = settings.connect_timeout_s
            message = (
                f"{where} completed no login within {limit_s:g} s: it hangs, or a firewall drops our packets"
            )
            return RemoteTimeoutError(
                f"{message} (see `connect_timeout_s`)", target=str(srn), timeout_s=limit_s
            )
        case asyncssh.PermissionDenied() | asyncssh.IllegalUserName():
            return refused_login(srn, settings)
        case asyncssh.KeyExchangeFailed() | asyncssh.ProtocolNotSupported():
            why = f"it does not speak an accepted version of SSH: {fault.reason}"
        case asyncssh.ChannelOpenError():
            why = f"the jump host cannot reach it: {fault.reason}"
        case asyncssh.DisconnectError():
            why = f"it ended the connection while we logged in: {fault.reason}"
        case socket.gaierror():
            why = f"the name `{settings.host}` is not known: {fault.strerror} (check `host`)"
        case ConnectionRefusedError():
            why = "nothing listens there (check `host` and `port`, and that its SSH server runs)"
        case OSError(errno=errno.EMFILE):
            why = "this process has as many open files as it may (raise its limit, see `ulimit -n`)"
        case OSError():
            why = fault.strerror or str(fault)
        case _:
            why = f"{type(fault).__name__}: {fault}"
    return UnreachableError(f"{where} cannot be reached: {why}", target=str(srn))


def refused_login(srn: Srn, settings: SshSettings) -> AuthenticationError:
    """Return the error of a host that refused all credentials."""
    had = [
        name
        for name, given in (
            ("password", settings.password),
            ("private_key", settings.private_key),
            ("priv", settings.private_key_path),
            ("the agent and the default keys", not has_credentials(settings)),
        )
        if given
    ]
    message = (
        f"{srn} ({settings.place}) refused the user `{settings.user or 'of this process'}` "
        f"with {' and '.join(had)} (check `user`, and `password` or `private_key`)"
    )
    return AuthenticationError(message, target=str(srn))


def has_credentials(settings: SshSettings) -> bool:
    """Return whether the configuration itself has credentials."""
    return bool(settings.password or settings.private_key or settings.private_key_path)


def lost_error(srn: Srn, settings: SshSettings, doing: str, fault: Exception | None) -> UnreachableError:
    """Return the error of a connection that was lost during an operation."""
    why = f": {fault}" if fault and str(fault) else ""
    where = f"{srn} ({settings.place})"
    message = f"the connection to {where} was lost while {doing}{why}; what it did there is not known"
    return UnreachableError(message, target=str(srn))


def no_session_error(srn: Srn, settings: SshSettings, fault: asyncssh.ChannelOpenError) -> UnreachableError:
    """Return the error of a connected host that opens no session."""
    message = (
        f"{srn} ({settings.place}) opens no session: {fault.reason} (see MaxSessions and ForceCommand there)"
    )
    return UnreachableError(message, target=str(srn))


def no_status_error(srn: Srn, settings: SshSettings) -> RemoteError:
    """Return the error of a session that the server closed without an exit status."""
    message = f"{srn} ({settings.place}) closed the session of a command without an exit status"
    return RemoteError(message, target=str(srn))


def not_run_error(srn: Srn, settings: SshSettings, completed: Completed) -> RemoteError:
    """Return the error of a session that ended before the command began: its login shell did not start it.

    Args:
        srn: the host's name.
        settings: the settings of the connection.
        completed: how the session ended, with what was written in it as error output.
    """
    where = f"{srn} ({settings.place})"
    message = f"{where} ran no command{quoted_end(completed)} (its login shell must be able to start /bin/sh)"
    return RemoteError(message, target=str(srn))


def overfull_error(srn: Srn, settings: SshSettings) -> RemoteError:
    """Return the error of a command with too much output."""
    limit = f"{MOST_BYTES >> 20} MiB"
    message = f"a command on {srn} ({settings.place}) wrote more than {limit}, and its session was closed"
    return RemoteError(message, target=str(srn))
