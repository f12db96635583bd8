"""Execution module `dnsutil`: addresses of names, and serial numbers of zones.

Source: Salt's execution module `dnsutil`, 3008.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.dig import a, aaaa, check_ip

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def serial(ctx: FunctionContext, zone: str = "", update: bool = False) -> str:
    """Return the serial number of a zone: the day of its last update, and a counter of updates on that day.

    The number is kept in a grain of the target.

    Args:
        zone: the zone; without it the number that the target keeps for unnamed zones.
        update: increase the number.
    """
    grain = f"dnsserial_{zone}" if zone else "dnsserial"
    stored = str(await ctx.call("grains.get", grain) or "")
    today = time.strftime("%Y%m%d01")
    if not update:
        return stored or today
    counted = str(int(stored) + 1) if stored.isdecimal() and stored >= today else today
    await ctx.call("grains.setval", grain, counted)
    return counted


FUNCTIONS: Final = by_name(check_ip, serial, A=a, AAAA=aaaa)
