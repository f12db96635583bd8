"""Ping and grains of any target that runs a POSIX shell, through its connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteError

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import DataMap


async def runs_a_command(connection: Connection) -> bool:
    """Return whether a target runs a command; raises what the connection raises when it cannot be reached."""
    done = await connection.run(Command(argv=["true"]))
    return done.returncode == 0


async def gathered_grains(connection: Connection, context: ResourceContext) -> DataMap:
    """Gather a target's grains in one round trip.

    Args:
        connection: the target.
        context: its SRN, and the options of the project.

    Raises:
        RemoteError: the target cannot be reached, or the script fails there.
    """
    from ensue.reach.resources.posix_grains import facts_script, grains_from, parse_facts, project_grains

    done = await connection.run(Command(shell_line=facts_script(context.opts)))
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip()
        why = errors or f"the script ended with {done.returncode}"
        raise RemoteError(f"the grains of {context.srn} cannot be gathered: {why}", target=str(context.srn))
    gathered = project_grains(context.opts) | grains_from(
        parse_facts(done.stdout.decode("utf-8", "replace")), id_=context.srn.id
    )
    return gathered | {"resource_id": context.srn.id, "resource_type": context.srn.type}
