"""Looks whether things that earlier applies made are still there, on targets that a run reaches anyway."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.deadlines import STILL_EXISTS_S
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ensue.language.targets.targets import Targets

_AT_ONCE: Final = 16
_MOST: Final = 500
"""The most things that are looked for; the others count as existing."""


async def things_gone(
    services: Targets, things: Sequence[tuple[str, str, str]], reached: Collection[str]
) -> set[tuple[str, str, str]]:
    """Return which of the things do not exist any more; what cannot be looked at within the deadline exists.

    Args:
        services: the project.
        things: a target as text, a state module and the name of a state of it each.
        reached: the targets that the run has reached.
    """
    own, gone, slots = str(services.minion), set[tuple[str, str, str]](), asyncio.Semaphore(_AT_ONCE)

    async def look(thing: tuple[str, str, str], still_exists: Any) -> None:
        async with slots:
            with suppress(Exception):  # The look may be a project's own.
                connection = services.directory.connection(Srn.parse(thing[0]))
                if not await still_exists(connection, thing[2]):
                    gone.add(thing)

    with suppress(TimeoutError):
        async with asyncio.timeout(STILL_EXISTS_S), asyncio.TaskGroup() as looks:
            for thing in list(dict.fromkeys(things))[:_MOST]:
                target, module, _ = thing
                states = services.compilation.states_of(target.partition(":")[0])
                still_exists = states.attribute(module, "STILL_EXISTS")
                if still_exists is not None and (target == own or target in reached):
                    looks.create_task(look(thing, still_exists))
    return gone
