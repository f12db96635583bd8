"""Execution module `dnsutil`: addresses of names, and serial numbers of zones.

Source: Salt's execution module `dnsutil`, 3008.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules import dig
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from ensue.core.contracts.context import FunctionContext

    _Query: TypeAlias = Callable[[FunctionContext, str, str | None], Awaitable[list[str]]]

_MAPPED: Final = "::ffff:"
"""How `getent ahostsv6` prints an IPv4 address."""


async def a(ctx: FunctionContext, host: str, nameserver: str | None = None) -> list[str]:
    """Return the IPv4 addresses of a name, an empty list if it has none.

    Without the program `dig` and without a name server, the target resolves the name as its programs do,
    which includes its `/etc/hosts`.

    Args:
        host: the name.
        nameserver: the server to query instead of the target's own.

    Example:
        ensue call '*' dnsutil.A example.com

    Raises:
        StateFailedError: the target has no program for the query.
    """
    return await _addresses(ctx, host, nameserver, dig.a, "ahostsv4")


async def aaaa(ctx: FunctionContext, host: str, nameserver: str | None = None) -> list[str]:
    """Return the IPv6 addresses of a name, an empty list if it has none; see `dnsutil.A`.

    Args:
        host: the name.
        nameserver: the server to query instead of the target's own.

    Example:
        ensue call '*' dnsutil.AAAA example.com

    Raises:
        StateFailedError: the target has no program for the query.
    """
    return await _addresses(ctx, host, nameserver, dig.aaaa, "ahostsv6")


async def _addresses(
    ctx: FunctionContext, host: str, nameserver: str | None, query: _Query, database: str
) -> list[str]:
    if nameserver or await ctx.call("cmd.has_exec", "dig"):
        return await query(ctx, host, nameserver)
    answer = await ask(ctx, "getent", database, "--", str(host))
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has neither `dig` nor `getent`; install bind9-dnsutils there")
    # The program prints every address once per kind of socket, the raw one last.
    rows = (line.split() for line in answer.stdout.splitlines() if answer.is_success)
    return [row[0] for row in rows if row[1:2] == ["RAW"] and not row[0].startswith(_MAPPED)]


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


FUNCTIONS: Final = by_name(dig.check_ip, serial, A=a, AAAA=aaaa)
