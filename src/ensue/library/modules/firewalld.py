"""Execution module `firewalld`: zones and services of firewalld, with its program `firewall-cmd`.

Source: Salt's execution module `firewalld`, 3008: names, arguments and return values; firewall-cmd(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext

_FORWARD: Final = re.compile(r"port=([^:]*):proto=([^:]*):toport=([^:]*):toaddr=(.*)\Z")


async def version(ctx: FunctionContext) -> str:
    """Return the version of firewalld."""
    return await _said(ctx, "--version")


async def reload_rules(ctx: FunctionContext) -> str:
    """Apply the permanent configuration now."""
    return await _said(ctx, "--reload")


async def default_zone(ctx: FunctionContext) -> str:
    """Return the default zone."""
    return await _said(ctx, "--get-default-zone")


async def set_default_zone(ctx: FunctionContext, zone: str) -> str:
    """Set the default zone."""
    return await _said(ctx, f"--set-default-zone={zone}")


async def get_zones(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the zones."""
    return (await _said(ctx, "--get-zones", permanent=permanent)).split()


async def get_services(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the services that firewalld knows."""
    return (await _said(ctx, "--get-services", permanent=permanent)).split()


async def get_icmp_types(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the ICMP types that firewalld knows."""
    return (await _said(ctx, "--get-icmptypes", permanent=permanent)).split()


async def new_zone(ctx: FunctionContext, zone: str, restart: bool = True) -> str:
    """Create a zone, and reload firewalld."""
    return await _managed(ctx, f"--new-zone={zone}", restart=restart)


async def delete_zone(ctx: FunctionContext, zone: str, restart: bool = True) -> str:
    """Remove a zone, and reload firewalld."""
    return await _managed(ctx, f"--delete-zone={zone}", restart=restart)


async def new_service(ctx: FunctionContext, name: str, restart: bool = True) -> str:
    """Create a service, and reload firewalld."""
    return await _managed(ctx, f"--new-service={name}", restart=restart)


async def delete_service(ctx: FunctionContext, name: str, restart: bool = True) -> str:
    """Remove a service, and reload firewalld."""
    return await _managed(ctx, f"--delete-service={name}", restart=restart)


async def list_all(
    ctx: FunctionContext, zone: str | None = None, permanent: bool = True
) -> dict[str, dict[str, list[str]]]:
    """Return all settings of a zone: by its name, lists by setting."""
    return _zones(await _said(ctx, *_in(zone), "--list-all", permanent=permanent))


async def list_zones(ctx: FunctionContext, permanent: bool = True) -> dict[str, dict[str, list[str]]]:
    """Return all settings of all zones; see `list_all`."""
    return _zones(await _said(ctx, "--list-all-zones", permanent=permanent))


async def list_services(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> list[str]:
    """Return the services that a zone allows."""
    return (await _said(ctx, *_in(zone), "--list-services", permanent=permanent)).split()


async def add_service(
    ctx: FunctionContext, service: str, zone: str | None = None, permanent: bool = True
) -> str:
    """Allow a service in a zone."""
    return await _said(ctx, *_in(zone), f"--add-service={service}", permanent=permanent)


async def remove_service(
    ctx: FunctionContext, service: str, zone: str | None = None, permanent: bool = True
) -> str:
    """Stop allowing a service in a zone."""
    return await _said(ctx, *_in(zone), f"--remove-service={service}", permanent=permanent)


async def get_service_ports(ctx: FunctionContext, service: str) -> list[str]:
    """Return the ports of a service (`80/tcp`)."""
    return (await _said(ctx, f"--service={service}", "--get-ports", permanent=True)).split()


async def add_service_port(ctx: FunctionContext, service: str, port: str) -> str:
    """Add a port to a service."""
    return await _said(ctx, f"--service={service}", f"--add-port={port}", permanent=True)


async def remove_service_port(ctx: FunctionContext, service: str, port: str) -> str:
    """Remove a port from a service."""
    return await _said(ctx, f"--service={service}", f"--remove-port={port}", permanent=True)


async def get_service_protocols(ctx: FunctionContext, service: str) -> list[str]:
    """Return the protocols of a service."""
    return (await _said(ctx, f"--service={service}", "--get-protocols", permanent=True)).split()


async def add_service_protocol(ctx: FunctionContext, service: str, protocol: str) -> str:
    """Add a protocol to a service."""
    return await _said(ctx, f"--service={service}", f"--add-protocol={protocol}", permanent=True)


async def remove_service_protocol(ctx: FunctionContext, service: str, protocol: str) -> str:
    """Remove a protocol from a service."""
    return await _said(ctx, f"--service={service}", f"--remove-protocol={protocol}", permanent=True)


async def get_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> bool:
    """Return whether a zone has masquerading."""
    words = [*_in(zone), "--query-masquerade", *(["--permanent"] if permanent else [])]
    answer = await ask(ctx, "firewall-cmd", *words)
    if answer.stdout.strip() not in {"yes", "no"}:
        await must(ctx, "firewall-cmd", *words, what="ask firewalld")
    return answer.is_success


async def add_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> str:
    """Enable masquerading for a zone."""
    return await _said(ctx, *_in(zone), "--add-masquerade", permanent=permanent)


async def remove_masquerade(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> str:
    """Disable masquerading for a zone."""
    return await _said(ctx, *_in(zone), "--remove-masquerade", permanent=permanent)


async def list_ports(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the ports that a zone allows."""
    return (await _said(ctx, *_in(zone), "--list-ports", permanent=permanent)).split()


async def add_port(
    ctx: FunctionContext, zone: str, port: str, permanent: bool = True, force_masquerade: bool = False
) -> str:
    """Allow a port in a zone."""
    if force_masquerade and not await get_masquerade(ctx, zone):
        await add_masquerade(ctx, zone)
    return await _said(ctx, *_in(zone), f"--add-port={port}", permanent=permanent)


async def remove_port(ctx: FunctionContext, zone: str, port: str, permanent: bool = True) -> str:
    """Stop allowing a port in a zone."""
    return await _said(ctx, *_in(zone), f"--remove-port={port}", permanent=permanent)


async def list_port_fwd(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[dict[str, str]]:
    """Return a zone's port forwardings: `Source port`, `Protocol`, `Destination port` and `… address`."""
    said = await _said(ctx, *_in(zone), "--list-forward-ports", permanent=permanent)
    keys = ("Source port", "Protocol", "Destination port", "Destination address")
    found = (_FORWARD.match(word) for word in said.split())
    return [dict(zip(keys, match.groups(), strict=True)) for match in found if match]


async def add_port_fwd(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    zone: str,
    src: str,
    dest: str,
    proto: str = "tcp",
    dstaddr: str = "",
    permanent: bool = True,
    force_masquerade: bool = False,
) -> str:
    """Add a port forwarding to a zone."""
    if force_masquerade and not await get_masquerade(ctx, zone):
        await add_masquerade(ctx, zone)
    where = f"port={src}:proto={proto}:toport={dest}:toaddr={dstaddr}"
    return await _said(ctx, *_in(zone), f"--add-forward-port={where}", permanent=permanent)


async def remove_port_fwd(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    zone: str,
    src: str,
    dest: str,
    proto: str = "tcp",
    dstaddr: str = "",
    permanent: bool = True,
) -> str:
    """Remove a port forwarding from a zone."""
    where = f"port={src}:proto={proto}:toport={dest}:toaddr={dstaddr}"
    return await _said(ctx, *_in(zone), f"--remove-forward-port={where}", permanent=permanent)


async def list_icmp_block(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the ICMP types that a zone blocks."""
    return (await _said(ctx, *_in(zone), "--list-icmp-blocks", permanent=permanent)).split()


async def block_icmp(ctx: FunctionContext, zone: str, icmp: str, permanent: bool = True) -> str:
    """Block an ICMP type in a zone."""
    return await _said(ctx, *_in(zone), f"--add-icmp-block={icmp}", permanent=permanent)


async def allow_icmp(ctx: FunctionContext, zone: str, icmp: str, permanent: bool = True) -> str:
    """Stop blocking an ICMP type in a zone."""
    return await _said(ctx, *_in(zone), f"--remove-icmp-block={icmp}", permanent=permanent)


async def get_interfaces(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the interfaces of a zone."""
    return (await _said(ctx, *_in(zone), "--list-interfaces", permanent=permanent)).split()


async def add_interface(ctx: FunctionContext, zone: str, interface: str, permanent: bool = True) -> str:
    """Add an interface to a zone."""
    return await _said(ctx, *_in(zone), f"--add-interface={interface}", permanent=permanent)


async def remove_interface(ctx: FunctionContext, zone: str, interface: str, permanent: bool = True) -> str:
    """Remove an interface from a zone."""
    return await _said(ctx, *_in(zone), f"--remove-interface={interface}", permanent=permanent)


async def get_sources(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the source addresses of a zone."""
    return (await _said(ctx, *_in(zone), "--list-sources", permanent=permanent)).split()


async def add_source(ctx: FunctionContext, zone: str, source: str, permanent: bool = True) -> str:
    """Add source addresses to a zone."""
    return await _said(ctx, *_in(zone), f"--add-source={source}", permanent=permanent)


async def remove_source(ctx: FunctionContext, zone: str, source: str, permanent: bool = True) -> str:
    """Remove source addresses from a zone."""
    return await _said(ctx, *_in(zone), f"--remove-source={source}", permanent=permanent)


async def get_rich_rules(ctx: FunctionContext, zone: str, permanent: bool = True) -> list[str]:
    """Return the rich rules of a zone."""
    return (await _said(ctx, *_in(zone), "--list-rich-rules", permanent=permanent)).splitlines()


async def add_rich_rule(ctx: FunctionContext, zone: str, rule: str, permanent: bool = True) -> str:
    """Add a rich rule to a zone."""
    return await _said(ctx, *_in(zone), f"--add-rich-rule={rule}", permanent=permanent)


async def remove_rich_rule(ctx: FunctionContext, zone: str, rule: str, permanent: bool = True) -> str:
    """Remove a rich rule from a zone."""
    return await _said(ctx, *_in(zone), f"--remove-rich-rule={rule}", permanent=permanent)


async def _said(ctx: FunctionContext, *words: str, permanent: bool = False) -> str:
    last = ["--permanent"] if permanent else []
    return (await must(ctx, "firewall-cmd", *words, *last, what="ask firewalld")).stdout.strip()


async def _managed(ctx: FunctionContext, word: str, *, restart: bool) -> str:
    said = await _said(ctx, word, permanent=True)
    return await reload_rules(ctx) if restart else said


def _in(zone: str | None) -> list[str]:
    return [f"--zone={zone}"] if zone else []


def _zones(text: str) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    zone: dict[str, list[str]] = {}
    key = ""
    for line in filter(str.strip, text.splitlines()):
        if not line[0].isspace():
            zone = found.setdefault(line.strip(), {})
        elif line.startswith("\t") and key:
            zone[key].append(line.strip())
        else:
            key, _, value = (part.strip() for part in line.partition(":"))
            zone[key] = [value]
    return found


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (
        add_interface, add_masquerade, add_port, add_port_fwd, add_rich_rule, add_service, add_service_port,
        add_service_protocol, add_source, allow_icmp, block_icmp, default_zone, delete_service, delete_zone,
        get_icmp_types, get_interfaces, get_masquerade, get_rich_rules, get_service_ports,
        get_service_protocols, get_services, get_sources, get_zones, list_all, list_icmp_block, list_port_fwd,
        list_ports, list_services, list_zones, new_service, new_zone, reload_rules, remove_interface,
        remove_masquerade, remove_port, remove_port_fwd, remove_rich_rule, remove_service,
        remove_service_port, remove_service_protocol, remove_source, set_default_zone, version,
    )
}  # fmt: skip
