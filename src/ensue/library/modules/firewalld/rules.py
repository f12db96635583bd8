"""What zones of firewalld let through: ports, forwardings, ICMP types, interfaces, sources and rich rules.

Args:
    permanent: use the permanent configuration; without it, the current one.
    port: the port and its protocol (`80/tcp`).
    force_masquerade: also enable masquerading for the zone.
    src: the port that is forwarded.
    dest: the port that it is forwarded to.
    proto: the protocol.
    dstaddr: the address that it is forwarded to; empty for this machine.
    icmp: the ICMP type (`echo-request`).
    interface: the interface (`eth0`).
    source: the addresses (`10.0.0.0/8`).
    rule: the rule, in firewalld's rich language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must
from ensue.library.modules.firewalld.program import answer_of, in_zone

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_FORWARD: Final = re.compile(r"port=([^:]*):proto=([^:]*):toport=([^:]*):toaddr=(.*)\Z")


async def get_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> bool:
    """Return whether a zone has masquerading.

    Args:
        zone: the zone; None for the default zone.
    """
    words = [*in_zone(zone), "--query-masquerade", *(["--permanent"] if permanent else [])]
    answer = await ask(ctx, "firewall-cmd", *words)
    if answer.stdout.strip() not in {"yes", "no"}:
        await must(ctx, "firewall-cmd", *words, what="ask firewalld")
    return answer.is_success


async def add_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> str:
    """Enable masquerading for a zone.

    Args:
        zone: the zone; None for the default zone.
    """
    return await answer_of(ctx, *in_zone(zone), "--add-masquerade", permanent=permanent)


async def remove_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> str:
    """Disable masquerading for a zone.

    Args:
        zone: the zone; None for the default zone.
    """
    return await answer_of(ctx, *in_zone(zone), "--remove-masquerade", permanent=permanent)


async def list_ports(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the ports that a zone allows.

    Example:
        ensue call '*' firewalld.list_ports public
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-ports", permanent=permanent)).split()


async def add_port(
    ctx: FunctionContext, zone: str, port: str, permanent: bool = True, force_masquerade: bool = False
) -> str:
    """Allow a port in a zone.

    Example:
        ensue call '*' firewalld.add_port public 8080/tcp
    """
    if force_masquerade and not await get_masquerade(ctx, zone):
        await add_masquerade(ctx, zone)
    return await answer_of(ctx, *in_zone(zone), f"--add-port={port}", permanent=permanent)


async def remove_port(ctx: FunctionContext, zone: str, port: str, permanent: bool = True) -> str:
    """Stop allowing a port in a zone.

    Example:
        ensue call '*' firewalld.remove_port public 8080/tcp
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-port={port}", permanent=permanent)


async def list_port_fwd(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[dict[str, str]]:
    """Return a zone's port forwardings: `Source port`, `Protocol`, `Destination port` and `… address`.

    Example:
        ensue call '*' firewalld.list_port_fwd public
    """
    output = await answer_of(ctx, *in_zone(zone), "--list-forward-ports", permanent=permanent)
    keys = ("Source port", "Protocol", "Destination port", "Destination address")
    matches = (_FORWARD.match(word) for word in output.split())
    return [dict(zip(keys, match.groups(), strict=True)) for match in matches if match]


async def add_port_fwd(
    ctx: FunctionContext,
    zone: str,
    src: str,
    dest: str,
    proto: str = "tcp",
    dstaddr: str = "",
    permanent: bool = True,
    force_masquerade: bool = False,
) -> str:
    """Add a port forwarding to a zone.

    Example:
        ensue call '*' firewalld.add_port_fwd public 80 8080
    """
    if force_masquerade and not await get_masquerade(ctx, zone):
        await add_masquerade(ctx, zone)
    where = f"port={src}:proto={proto}:toport={dest}:toaddr={dstaddr}"
    return await answer_of(ctx, *in_zone(zone), f"--add-forward-port={where}", permanent=permanent)


async def remove_port_fwd(
    ctx: FunctionContext,
    zone: str,
    src: str,
    dest: str,
    proto: str = "tcp",
    dstaddr: str = "",
    permanent: bool = True,
) -> str:
    """Remove a port forwarding from a zone.

    Example:
        ensue call '*' firewalld.remove_port_fwd public 80 8080
    """
    where = f"port={src}:proto={proto}:toport={dest}:toaddr={dstaddr}"
    return await answer_of(ctx, *in_zone(zone), f"--remove-forward-port={where}", permanent=permanent)


async def list_icmp_block(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the ICMP types that a zone blocks.

    Example:
        ensue call '*' firewalld.list_icmp_block public
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-icmp-blocks", permanent=permanent)).split()


async def block_icmp(ctx: FunctionContext, zone: str, icmp: str, permanent: bool = True) -> str:
    """Block an ICMP type in a zone.

    Example:
        ensue call '*' firewalld.block_icmp public echo-request
    """
    return await answer_of(ctx, *in_zone(zone), f"--add-icmp-block={icmp}", permanent=permanent)


async def allow_icmp(ctx: FunctionContext, zone: str, icmp: str, permanent: bool = True) -> str:
    """Stop blocking an ICMP type in a zone.

    Example:
        ensue call '*' firewalld.allow_icmp public echo-request
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-icmp-block={icmp}", permanent=permanent)


async def get_interfaces(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the interfaces of a zone.

    Example:
        ensue call '*' firewalld.get_interfaces public
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-interfaces", permanent=permanent)).split()


async def add_interface(ctx: FunctionContext, zone: str, interface: str, permanent: bool = True) -> str:
    """Add an interface to a zone.

    Example:
        ensue call '*' firewalld.add_interface public eth0
    """
    return await answer_of(ctx, *in_zone(zone), f"--add-interface={interface}", permanent=permanent)


async def remove_interface(ctx: FunctionContext, zone: str, interface: str, permanent: bool = True) -> str:
    """Remove an interface from a zone.

    Example:
        ensue call '*' firewalld.remove_interface public eth0
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-interface={interface}", permanent=permanent)


async def get_sources(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the source addresses of a zone.

    Example:
        ensue call '*' firewalld.get_sources public
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-sources", permanent=permanent)).split()


async def add_source(ctx: FunctionContext, zone: str, source: str, permanent: bool = True) -> str:
    """Add source addresses to a zone.

    Example:
        ensue call '*' firewalld.add_source public 10.0.0.0/8
    """
    return await answer_of(ctx, *in_zone(zone), f"--add-source={source}", permanent=permanent)


async def remove_source(ctx: FunctionContext, zone: str, source: str, permanent: bool = True) -> str:
    """Remove source addresses from a zone.

    Example:
        ensue call '*' firewalld.remove_source public 10.0.0.0/8
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-source={source}", permanent=permanent)


async def get_rich_rules(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the rich rules of a zone.

    Example:
        ensue call '*' firewalld.get_rich_rules public
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-rich-rules", permanent=permanent)).splitlines()


async def add_rich_rule(ctx: FunctionContext, zone: str, rule: str, permanent: bool = True) -> str:
    """Add a rich rule to a zone.

    Example:
        ensue call '*' firewalld.add_rich_rule public 'rule family=ipv4 source address=10.0.0.0/8 accept'
    """
    return await answer_of(ctx, *in_zone(zone), f"--add-rich-rule={rule}", permanent=permanent)


async def remove_rich_rule(ctx: FunctionContext, zone: str, rule: str, permanent: bool = True) -> str:
    """Remove a rich rule from a zone.

    Example:
        ensue call '*' firewalld.remove_rich_rule public 'rule family=ipv4 source address=10.0.0.0/8 accept'
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-rich-rule={rule}", permanent=permanent)


OFFERED: Final = by_name(
    get_masquerade, add_masquerade, remove_masquerade, list_ports, add_port, remove_port,
    list_port_fwd, add_port_fwd, remove_port_fwd, list_icmp_block, block_icmp, allow_icmp,
    get_interfaces, add_interface, remove_interface, get_sources, add_source, remove_source,
    get_rich_rules, add_rich_rule, remove_rich_rule,
)  # fmt: skip
