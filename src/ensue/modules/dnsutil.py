"""Execution module `dnsutil`: names and addresses, and the serial number of a zone.

Source: Salt's execution module `dnsutil`, 3008.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from ensue.modules.dig import a, aaaa, check_ip

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext


async def serial(ctx: FunctionContext, zone: str = "", update: bool = False) -> str:
    """Return the serial number of a zone: the day of its last update, and how many there were on that day.

    It is kept in a grain of the target.

    Args:
        ctx: the target.
        zone: the zone; the target has one more for all those that are not named.
        update: count on.
    """
    grain = f"dnsserial_{zone}" if zone else "dnsserial"
    stored = str(await ctx.call("grains.get", grain) or "")
    today = time.strftime("%Y%m%d01")
    if not update:
        return stored or today
    counted = str(int(stored) + 1) if stored.isdecimal() and stored >= today else today
    await ctx.call("grains.setval", grain, counted)
    return counted


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "A": a,
    "AAAA": aaaa,
    "check_ip": check_ip,
    "serial": serial,
}
