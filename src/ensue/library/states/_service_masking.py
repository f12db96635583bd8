"""`service.masked` and `service.unmasked`: mask services so that nothing can start them, or unmask them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def masked(ctx: StateContext, name: str, runtime: bool = False) -> StateReturn:
    """Mask a service, so that nothing can start it.

    Args:
        name: the service.
        runtime: only until the next boot.

    Example:
        apache2:
          service.masked

    Returns:
        `changes` has `masked: {old, new}`.

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    return await _have(ctx, name, runtime=runtime, is_wanted=True)


async def unmasked(ctx: StateContext, name: str, runtime: bool = False) -> StateReturn:
    """Unmask a service.

    Args:
        name: the service.
        runtime: remove the mask that lasts only until the next boot.

    Example:
        nginx:
          service.unmasked

    Returns:
        `changes` has `masked: {old, new}`.

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    return await _have(ctx, name, runtime=runtime, is_wanted=False)


async def _have(ctx: StateContext, name: str, *, runtime: bool, is_wanted: bool) -> StateReturn:
    what = "runtime masked" if runtime else "masked"
    done = what if is_wanted else what.replace("masked", "unmasked")
    new_state: DataMap = {"name": name, "masked": is_wanted, "runtime": runtime}
    try:
        if await ctx.call("service.masked", name, runtime) is is_wanted:
            comment = f"Service {name} {'is' if is_wanted else 'was'} already {done}"
            return StateReturn.unchanged(name, comment, new_state)
        changes: DataMap = {what: {"old": not is_wanted, "new": is_wanted}}
        if ctx.test:
            return StateReturn.planned(name, f"Service {name} would be {done}", changes)
        await ctx.call("service.mask" if is_wanted else "service.unmask", name, runtime)
    except StateFailedError as error:
        return StateReturn.failed(name, str(error))
    return StateReturn.changed(name, f"Service {name} was {done}", changes, new_state)
