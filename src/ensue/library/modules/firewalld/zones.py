"""Zones and services of firewalld, and the services that zones allow.

Args:
    permanent: use the permanent configuration; without it, the current one.
    restart: reload firewalld afterwards.
    service: the service.
    name: the service.
    port: the port and its protocol (`80/tcp`).
    protocol: the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.firewalld.program import answer_of, in_zone

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def version(ctx: FunctionContext) -> str:
    """Return the version of firewalld."""
    return await answer_of(ctx, "--version")


async def reload_rules(ctx: FunctionContext) -> str:
    """Apply the permanent configuration now."""
    return await answer_of(ctx, "--reload")


async def default_zone(ctx: FunctionContext) -> str:
    """Return the default zone."""
    return await answer_of(ctx, "--get-default-zone")


async def set_default_zone(ctx: FunctionContext, zone: str) -> str:
    """Set the default zone.

    Example:
        ensue call '*' firewalld.set_default_zone public
    """
    return await answer_of(ctx, f"--set-default-zone={zone}")


async def get_zones(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the zones."""
    return (await answer_of(ctx, "--get-zones", permanent=permanent)).split()


async def get_services(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the services that firewalld knows."""
    return (await answer_of(ctx, "--get-services", permanent=permanent)).split()


async def get_icmp_types(ctx: FunctionContext, permanent: bool = True) -> list[str]:
    """Return the ICMP types that firewalld knows."""
    return (await answer_of(ctx, "--get-icmptypes", permanent=permanent)).split()


async def new_zone(ctx: FunctionContext, zone: str, restart: bool = True) -> str:
    """Create a zone, and reload firewalld.

    Example:
        ensue call '*' firewalld.new_zone office
    """
    return await _managed(ctx, f"--new-zone={zone}", restart=restart)


async def delete_zone(ctx: FunctionContext, zone: str, restart: bool = True) -> str:
    """Remove a zone, and reload firewalld.

    Example:
        ensue call '*' firewalld.delete_zone office
    """
    return await _managed(ctx, f"--delete-zone={zone}", restart=restart)


async def new_service(ctx: FunctionContext, name: str, restart: bool = True) -> str:
    """Create a service, and reload firewalld.

    Example:
        ensue call '*' firewalld.new_service shop
    """
    return await _managed(ctx, f"--new-service={name}", restart=restart)


async def delete_service(ctx: FunctionContext, name: str, restart: bool = True) -> str:
    """Remove a service, and reload firewalld.

    Example:
        ensue call '*' firewalld.delete_service shop
    """
    return await _managed(ctx, f"--delete-service={name}", restart=restart)


async def list_all(
    ctx: FunctionContext, zone: str | None = None, permanent: bool = True
) -> dict[str, dict[str, list[str]]]:
    """Return all settings of a zone: by its name, lists by setting.

    Args:
        zone: the zone; None for the default zone.
    """
    return _zones(await answer_of(ctx, *in_zone(zone), "--list-all", permanent=permanent))


async def list_zones(ctx: FunctionContext, permanent: bool = True) -> dict[str, dict[str, list[str]]]:
    """Return all settings of all zones; see `list_all`."""
    return _zones(await answer_of(ctx, "--list-all-zones", permanent=permanent))


async def list_services(ctx: FunctionContext, zone: str | None = None, permanent: bool = True) -> list[str]:
    """Return the services that a zone allows.

    Args:
        zone: the zone; None for the default zone.
    """
    return (await answer_of(ctx, *in_zone(zone), "--list-services", permanent=permanent)).split()


async def add_service(
    ctx: FunctionContext, service: str, zone: str | None = None, permanent: bool = True
) -> str:
    """Allow a service in a zone.

    Args:
        zone: the zone; None for the default zone.

    Example:
        ensue call '*' firewalld.add_service http
    """
    return await answer_of(ctx, *in_zone(zone), f"--add-service={service}", permanent=permanent)


async def remove_service(
    ctx: FunctionContext, service: str, zone: str | None = None, permanent: bool = True
) -> str:
    """Stop allowing a service in a zone.

    Args:
        zone: the zone; None for the default zone.

    Example:
        ensue call '*' firewalld.remove_service http
    """
    return await answer_of(ctx, *in_zone(zone), f"--remove-service={service}", permanent=permanent)


async def get_service_ports(ctx: FunctionContext, service: str) -> list[str]:
    """Return the ports of a service (`80/tcp`).

    Example:
        ensue call '*' firewalld.get_service_ports http
    """
    return (await answer_of(ctx, f"--service={service}", "--get-ports", permanent=True)).split()


async def add_service_port(ctx: FunctionContext, service: str, port: str) -> str:
    """Add a port to a service.

    Example:
        ensue call '*' firewalld.add_service_port http 8080/tcp
    """
    return await answer_of(ctx, f"--service={service}", f"--add-port={port}", permanent=True)


async def remove_service_port(ctx: FunctionContext, service: str, port: str) -> str:
    """Remove a port from a service.

    Example:
        ensue call '*' firewalld.remove_service_port http 8080/tcp
    """
    return await answer_of(ctx, f"--service={service}", f"--remove-port={port}", permanent=True)


async def get_service_protocols(ctx: FunctionContext, service: str) -> list[str]:
    """Return the protocols of a service.

    Example:
        ensue call '*' firewalld.get_service_protocols http
    """
    return (await answer_of(ctx, f"--service={service}", "--get-protocols", permanent=True)).split()


async def add_service_protocol(ctx: FunctionContext, service: str, protocol: str) -> str:
    """Add a protocol to a service.

    Example:
        ensue call '*' firewalld.add_service_protocol http tcp
    """
    return await answer_of(ctx, f"--service={service}", f"--add-protocol={protocol}", permanent=True)


async def remove_service_protocol(ctx: FunctionContext, service: str, protocol: str) -> str:
    """Remove a protocol from a service.

    Example:
        ensue call '*' firewalld.remove_service_protocol http tcp
    """
    return await answer_of(ctx, f"--service={service}", f"--remove-protocol={protocol}", permanent=True)


async def _managed(ctx: FunctionContext, word: str, *, restart: bool) -> str:
    output = await answer_of(ctx, word, permanent=True)
    return await reload_rules(ctx) if restart else output


def _zones(text: str) -> dict[str, dict[str, list[str]]]:
    zones: dict[str, dict[str, list[str]]] = {}
    zone: dict[str, list[str]] = {}
    key = ""
    for line in filter(str.strip, text.splitlines()):
        if not line[0].isspace():
            zone = zones.setdefault(line.strip(), {})
        elif line.startswith("\t") and key:
            zone[key].append(line.strip())
        else:
            key, _, value = (part.strip() for part in line.partition(":"))
            zone[key] = [value]
    return zones


OFFERED: Final = by_name(
    version, reload_rules, default_zone, set_default_zone, get_zones, get_services, get_icmp_types,
    new_zone, delete_zone, new_service, delete_service, list_all, list_zones, list_services,
    add_service, remove_service, get_service_ports, add_service_port, remove_service_port,
    get_service_protocols, add_service_protocol, remove_service_protocol,
)  # fmt: skip
