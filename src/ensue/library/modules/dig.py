"""Execution module `dig`: queries name servers from the target with its program `dig`.

Source: Salt's execution module `dig`, 3008: names and return values.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def a(ctx: FunctionContext, host: str, nameserver: str | None = None) -> list[str]:
    """Return the IPv4 addresses of a name, an empty list if it has none or no server answers.

    Args:
        host: the name.
        nameserver: the server to query instead of the target's own.

    Example:
        ensue call '*' dig.A example.com

    Raises:
        StateFailedError: the target has no `dig`.
    """
    return await _addresses(ctx, host, "A", nameserver)


async def aaaa(ctx: FunctionContext, host: str, nameserver: str | None = None) -> list[str]:
    """Return the IPv6 addresses of a name; see `a`.

    Args:
        host: the name.
        nameserver: the server to query instead of the target's own.

    Example:
        ensue call '*' dig.AAAA example.com
    """
    return await _addresses(ctx, host, "AAAA", nameserver)


def check_ip(ctx: FunctionContext, addr: str) -> bool:
    """Return whether a text is an address or a network.

    Args:
        addr: the text to check.

    Example:
        ensue call '*' dig.check_ip 10.0.0.5
    """
    try:
        ipaddress.ip_interface(addr)
    except ValueError:
        return False
    return True


async def _addresses(ctx: FunctionContext, host: str, kind: str, nameserver: str | None) -> list[str]:
    whom = [f"@{nameserver}"] if nameserver else []
    answer = await ask(ctx, "dig", "+short", str(host), kind, *whom)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `dig`; install bind9-dnsutils there")
    lines = answer.stdout.splitlines() if answer.is_success else []
    return [line for line in lines if check_ip(ctx, line)]


FUNCTIONS: Final = by_name(check_ip, A=a, AAAA=aaaa)
