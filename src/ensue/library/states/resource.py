"""State module `resource`: unregisters resources that states registered.

It removes what the project knows of a machine, and does nothing to the machine itself. A state with
`registers` registers one.

Source: derived-resources document, "Provenance"; `ensue resources forget`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def unregistered(ctx: StateContext, name: str) -> StateReturn:
    """Remove the record of a resource that a state registered, so that it is no target any more.

    What is derived from it is invalidated. The machine is left alone: remove it with a state before this one.

    Args:
        ctx: the state's context.
        name: the resource, `TYPE:ID`, as in `registers`.

    Example:
        ssh_host:web-01:
          resource.unregistered: []

    Returns:
        `changes` has `unregistered`, the resource, and `invalidated`, those derived from it. `new_state` has
        `resource` and `exists`.
    """
    try:
        srn = Srn.parse(name)
    except ValueError as error:
        raise StateFailedError(f"name: {error}") from None
    gone: DataMap = {"resource": name, "exists": False}
    if await asyncio.to_thread(ctx.registry.record, srn) is None:
        return StateReturn.unchanged(name, f"{name} is not registered", gone)
    if ctx.test:
        changes = _changes(srn, await asyncio.to_thread(ctx.registry.would_forget, srn))
        return StateReturn.planned(name, f"{name} would be unregistered", changes)
    derived = await asyncio.to_thread(ctx.registry.invalidate, srn, reason=f"{srn} was unregistered")
    await asyncio.to_thread(ctx.registry.forget, srn)
    return StateReturn.changed(name, f"{name} was unregistered", _changes(srn, derived), gone)


FUNCTIONS: dict[str, Callable[..., Any]] = {"unregistered": unregistered}


def _changes(srn: Srn, derived: Sequence[Srn]) -> DataMap:
    invalidated: DataMap = {"invalidated": [str(each) for each in derived]} if derived else {}
    return {"unregistered": str(srn), **invalidated}
