"""Finds the primary group of an owner."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ensue.core.contracts.connection import Command
from ensue.core.errors import MissingOnTargetError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.library.states.file.attributes import RequestedAttributes


async def with_primary_group(ctx: FunctionContext, requested: RequestedAttributes) -> RequestedAttributes:
    """Return the attributes with the owner's primary group, if they have an owner and no group.

    Args:
        ctx: the target; if it cannot run commands, the group remains unset.
        requested: the attributes.

    Raises:
        StateFailedError: the user does not exist.
    """
    if requested.user is None or requested.group is not None or not ctx.connection.can_run:
        return requested
    done = await ctx.connection.run(Command(argv=["id", "-gn", "--", str(requested.user)]))
    group = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode or not group:
        message = f"User {requested.user} does not exist on {ctx.srn}"
        raise MissingOnTargetError(message, missing=str(requested.user))
    return replace(requested, group=group)
