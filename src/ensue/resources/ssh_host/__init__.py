"""Resource type `ssh_host`: anything with an SSH server.

Keys of the configuration: see docs/resources.md. asyncssh is loaded when a host is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.contracts.connection import Command
from ensue.errors import RemoteError, ResourceError
from ensue.resources.ssh_host.connection import SshConnection
from ensue.resources.ssh_host.settings import configuration_faults, settings_from

if TYPE_CHECKING:
    from ensue.contracts.connection import Connection
    from ensue.contracts.resource_type import ResourceContext
    from ensue.model.data import DataMap, ReadOnlyDataMap

SECRET_KEYS: frozenset[str] = frozenset({"password", "passwd", "private_key", "passphrase", "sudo_password"})
"""Keys of the configuration whose values are secrets."""


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration, one sentence each."""
    return configuration_faults(config)


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O.

    Raises:
        ResourceError: the configuration is wrong; the text lists everything.
    """
    found = configuration_faults(context.config)
    if found:
        raise ResourceError(f"{context.srn} is not configured properly: {'; '.join(found)}")
    settings = settings_from(context.srn, context.config)
    return SshConnection(context.srn, settings, context.connect_to, leftovers=context.leftovers)


async def ping(connection: Connection) -> bool:
    """Say whether the host runs a command; raises what the connection raises when it cannot be reached."""
    done = await connection.run(Command(argv=["true"]))
    return done.returncode == 0


async def grains(connection: Connection, context: ResourceContext) -> DataMap:
    """Gather the host's grains in one round trip."""
    from ensue.resources.posix_grains import facts_script, grains_from, parse_facts

    done = await connection.run(Command(shell_line=facts_script(context.opts)))
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        why = said or f"the script ended with {done.returncode}"
        raise RemoteError(f"the grains of {context.srn} cannot be gathered: {why}", target=str(context.srn))
    gathered = grains_from(parse_facts(done.stdout.decode("utf-8", "replace")), id_=context.srn.id)
    return gathered | {"resource_id": context.srn.id, "resource_type": context.srn.type}
