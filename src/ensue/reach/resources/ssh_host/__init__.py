"""Resource type `ssh_host`: a host with an SSH server.

Keys of the configuration: see docs/resources.md. asyncssh is loaded when a host is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import ResourceError
from ensue.reach.resources.posix_machine import gathered_grains, runs_a_command
from ensue.reach.resources.ssh_host.connection import SshConnection
from ensue.reach.resources.ssh_host.roster import remarks_about
from ensue.reach.resources.ssh_host.settings import configuration_faults, settings_from

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import DataMap, ReadOnlyDataMap

SECRET_KEYS: frozenset[str] = frozenset(
    {"password", "passwd", "private_key", "passphrase", "priv_passwd", "sudo_password"}
)
"""Keys of the configuration whose values are secrets."""

IS_REMOTE: bool = True
"""A host costs this machine only a socket, so a host that hangs need not delay others."""


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration, one sentence per error."""
    return configuration_faults(config)


def remarks(config: ReadOnlyDataMap) -> list[str]:
    """Return what in a valid configuration has no effect, one sentence per key."""
    return remarks_about(config)


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O.

    Raises:
        ResourceError: the configuration is invalid; the text lists all errors.
    """
    found = configuration_faults(context.config)
    if found:
        raise ResourceError(f"{context.srn} is not configured properly: {'; '.join(found)}")
    settings = settings_from(context.srn, context.config)
    return SshConnection(
        context.srn, settings, context.connect_to, leftovers=context.leftovers, reach=context.reach
    )


async def ping(connection: Connection) -> bool:
    """Return whether the host runs a command; raises the connection's error if it cannot be reached."""
    return await runs_a_command(connection)


async def grains(connection: Connection, context: ResourceContext) -> DataMap:
    """Gather the host's grains in one round trip."""
    return await gathered_grains(connection, context)
