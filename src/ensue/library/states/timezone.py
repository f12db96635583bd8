"""State module `timezone`: the target's time zone.

Source: Salt's state module `timezone`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def system(ctx: StateContext, name: str, utc: bool = True) -> StateReturn:
    """Set the time zone.

    Args:
        name: the zone (`Europe/Vienna`).
        utc: set the hardware clock to UTC; false leaves it.

    Example:
        Europe/Vienna:
          timezone.system:
            - utc: true

    Returns:
        `changes` has `timezone` and `utc`, if they changed.

    Raises:
        StateFailedError: the target's time zone cannot be determined.
    """
    has_zone: bool = await ctx.call("timezone.zone_compare", name)
    has_clock = not utc or await ctx.call("timezone.get_hwclock") == "UTC"
    if has_zone and has_clock:
        texts = [f"Timezone {name} already set", *([f"UTC already set to {name}"] if utc else [])]
        return StateReturn.unchanged(name, ", ".join(texts), await _now(ctx))
    if ctx.test:
        texts = [] if has_zone else [f"Timezone {name} needs to be set"]
        texts += [] if has_clock else [f"UTC needs to be set to {utc}"]
        return StateReturn.planned(name, ", ".join(texts))
    changes: DataMap = {}
    done: list[str] = []
    try:
        if not has_zone:
            await ctx.call("timezone.set_zone", name)
            changes["timezone"] = name
            done.append(f"Set timezone {name}")
        if not has_clock:
            await ctx.call("timezone.set_hwclock", "UTC")
            changes["utc"] = utc
            done.append(f"Set UTC to {utc}")
    except StateFailedError as error:
        done.append(f"Failed to set timezone: {error}")
        return StateReturn.failed(name, ", ".join(done), changes)
    return StateReturn.changed(name, ", ".join(done), changes, await _now(ctx))


async def _now(ctx: StateContext) -> DataMap:
    zone, clock = await ctx.call("timezone.get_zone"), await ctx.call("timezone.get_hwclock")
    return {"timezone": zone, "hwclock": clock}


FUNCTIONS: Final = by_name(system, make_only=("name",))
