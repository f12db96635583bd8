"""Execution module `network`: the target's addresses and names.

Args:
    iface: the interface (`eth0`).

Source: Salt's execution module `network`, 3008: names and return values; ip(8), hostname(1).
"""

from __future__ import annotations

import ipaddress
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._host_name import mod_hostname
from ensue.library.modules._ip_arithmetic import (
    calc_net,
    convert_cidr,
    ip_in_subnet,
    is_in_network,
    is_loopback,
    is_private,
    reverse_ip,
)
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

    Interfaces = dict[str, dict[str, Any]]

_LINK: Final = re.compile(r"^\d+: (?P<name>[^:@\s]+)(?:@\S+)?: <(?P<flags>[^>]*)>")
_ADDRESS: Final = re.compile(
    r"^\s+(?P<family>inet6?) (?P<address>[0-9a-f.:]+)(?: peer \S+)?/(?P<prefix>\d+)"
    r"(?: brd (?P<broadcast>\S+))? scope (?P<scope>\S+)(?: secondary)?(?: (?P<label>\S+))?"
)
_HARDWARE: Final = re.compile(r"^\s+link/\S+ (?P<address>[0-9a-f:]+)")


async def interfaces(ctx: FunctionContext) -> Interfaces:
    """Return the network interfaces by name, each with `up`, `hwaddr`, `inet` and `inet6`."""
    answer = await must(
        ctx, "ip", "address", "show", what="list the network interfaces (this requires iproute2)"
    )
    by_name: Interfaces = {}
    now: dict[str, Any] = {}
    for line in answer.stdout.splitlines():
        if link := _LINK.match(line):
            now = {"up": "UP" in link["flags"].split(",")}
            by_name[link["name"]] = now
        elif hardware := _HARDWARE.match(line):
            now["hwaddr"] = hardware["address"]
        elif address := _ADDRESS.match(line):
            now.setdefault(address["family"], []).append(_described(address))
    return by_name


async def interface(ctx: FunctionContext, iface: str) -> list[dict[str, str]]:
    """Return the IPv4 addresses of a network interface, each with its netmask.

    Example:
        ensue call '*' network.interface eth0
    """
    return list((await interfaces(ctx)).get(iface, {}).get("inet", []))


async def interface_ip(ctx: FunctionContext, iface: str) -> str:
    """Return the first IPv4 address of a network interface, empty if it has none.

    Example:
        ensue call '*' network.interface_ip eth0
    """
    there = (await interfaces(ctx)).get(iface, {})
    return next((str(each["address"]) for each in [*there.get("inet", []), *there.get("inet6", [])]), "")


async def hw_addr(ctx: FunctionContext, iface: str) -> str:
    """Return the hardware (MAC) address of a network interface, empty if it has none.

    Example:
        ensue call '*' network.hw_addr eth0
    """
    return str((await interfaces(ctx)).get(iface, {}).get("hwaddr", ""))


async def ip_addrs(
    ctx: FunctionContext,
    interface: str | list[str] | None = None,
    include_loopback: bool = False,
    cidr: str | None = None,
    type: str | None = None,  # noqa: A002 (Salt's argument)
) -> list[str]:
    """Return the target's IPv4 addresses, sorted.

    Args:
        interface: only addresses of this interface, or of these.
        include_loopback: include loopback addresses.
        cidr: only addresses in this network (`10.0.0.0/8`).
        type: only `public` or only `private` addresses.

    Example:
        ensue call '*' network.ip_addrs cidr=10.0.0.0/8
    """
    addresses = await _addresses(ctx, "inet", interface, include_loopback=include_loopback)
    if cidr:
        return [each for each in addresses if is_in_network(each, cidr)]
    if type in {"public", "private"}:
        return [each for each in addresses if ipaddress.ip_address(each).is_private is (type == "private")]
    return addresses


async def ip_addrs6(
    ctx: FunctionContext,
    interface: str | list[str] | None = None,
    include_loopback: bool = False,
    cidr: str | None = None,
) -> list[str]:
    """Return the target's IPv6 addresses, sorted.

    Args:
        interface: only addresses of this interface, or of these.
        include_loopback: include loopback addresses.
        cidr: only addresses in this network.

    Example:
        ensue call '*' network.ip_addrs6 interface=eth0
    """
    addresses = await _addresses(ctx, "inet6", interface, include_loopback=include_loopback)
    return [each for each in addresses if not cidr or is_in_network(each, cidr)]


async def subnets(ctx: FunctionContext, interfaces: Sequence[str] | None = None) -> list[str]:
    """Return the networks of the target's IPv4 addresses, sorted.

    Args:
        interfaces: has no effect; the networks of all interfaces are returned.
    """
    return await _networks(ctx, "inet")


async def subnets6(ctx: FunctionContext) -> list[str]:
    """Return the networks of the target's IPv6 addresses, sorted."""
    return await _networks(ctx, "inet6")


async def in_subnet(ctx: FunctionContext, cidr: str) -> bool:
    """Return whether the target has an address in a network.

    Args:
        cidr: the network (`10.0.0.0/8`).

    Example:
        ensue call '*' network.in_subnet 10.0.0.0/8
    """
    family = "inet6" if ":" in cidr else "inet"
    addresses = await _addresses(ctx, family, None, include_loopback=True)
    return any(is_in_network(each, cidr) for each in addresses)


async def get_hostname(ctx: FunctionContext) -> str:
    """Return the target's host name."""
    answer = await ask(ctx, "hostname")
    hostname = answer.stdout if answer.is_success else await text_of(ctx, "/proc/sys/kernel/hostname") or ""
    return hostname.strip()


async def get_fqdn(ctx: FunctionContext) -> str:
    """Return the target's fully qualified host name, or the short one if it has no other."""
    answer = await ask(ctx, "hostname", "-f")
    return answer.stdout.strip() if answer.is_success else await get_hostname(ctx)


async def default_route(ctx: FunctionContext, family: str | None = None) -> list[dict[str, str]]:
    """Return the target's default routes.

    Args:
        family: `inet` or `inet6`; None for both.

    Example:
        ensue call '*' network.default_route inet
    """
    routes: list[dict[str, str]] = []
    for each, flag, destination in (("inet", "-4", "0.0.0.0"), ("inet6", "-6", "::/0")):  # noqa: S104 (no address to listen on)
        if family not in {None, each}:
            continue
        answer = await must(
            ctx, "ip", flag, "route", "show", "default", what="list the routes (this requires iproute2)"
        )
        for line in answer.stdout.splitlines():
            words = line.split()
            named = dict(zip(words[1::2], words[2::2], strict=False))
            routes.append({
                "addr_family": each,
                "destination": destination,
                "gateway": named.get("via", ""),
                "interface": named.get("dev", ""),
            })  # fmt: skip
    return routes


async def get_route(ctx: FunctionContext, ip: str) -> dict[str, str | None]:
    """Return how the target reaches an address: `destination`, `gateway`, `interface` and `source`.

    Args:
        ip: the address.

    Returns:
        The gateway is None if the address is reached directly.

    Raises:
        StateFailedError: it is no address, or there is no route to it.

    Example:
        ensue call '*' network.get_route 10.1.2.3
    """
    try:
        address = ipaddress.ip_address(ip)
    except ValueError as error:
        raise StateFailedError(str(error)) from None
    what = f"find the route to {address} (this requires iproute2)"
    words = (await must(ctx, "ip", "-oneline", "route", "get", str(address), what=what)).stdout.split()
    named = dict(pairwise(words))
    return {
        "destination": ip,
        "gateway": named.get("via"),
        "interface": named.get("dev"),
        "source": named.get("src"),
    }


async def ifacestartswith(ctx: FunctionContext, cidr: str) -> list[str]:
    """Return the network interfaces with an IPv4 address that starts with a prefix.

    Args:
        cidr: the prefix (`10.0.`).

    Example:
        ensue call '*' network.ifacestartswith 10.1
    """
    return [
        name
        for name, there in (await interfaces(ctx)).items()
        if any(str(each["address"]).startswith(cidr) for each in there.get("inet", ()))
    ]


async def ping(
    ctx: FunctionContext,
    host: str,
    timeout: int | None = None,  # noqa: ASYNC109 (Salt's argument)
    return_boolean: bool = False,
) -> str | bool:
    """Ping a host four times.

    Args:
        ctx: the target that sends the pings.
        host: a host name or an address.
        timeout: how long to wait for each answer, in seconds.
        return_boolean: return whether it succeeded instead of the output.

    Returns:
        The output of `ping`, or whether it succeeded.

    Example:
        ensue call '*' network.ping example.com timeout=3
    """
    wait = ["-W", str(timeout)] if timeout else []
    answer = await ask(ctx, "ping", "-c", "4", *wait, "--", host)
    return answer.is_success if return_boolean else answer.stdout + answer.stderr


async def _addresses(
    ctx: FunctionContext, family: str, interface: str | Sequence[str] | None, *, include_loopback: bool
) -> list[str]:
    names = {interface} if isinstance(interface, str) else {*(interface or ())}
    addresses = {
        str(each["address"])
        for name, there in (await interfaces(ctx)).items()
        if not names or name in names
        for each in there.get(family, [])
    }
    kept = [each for each in addresses if include_loopback or not ipaddress.ip_address(each).is_loopback]
    return sorted(kept, key=lambda each: ipaddress.ip_address(each).packed)


async def _networks(ctx: FunctionContext, family: str) -> list[str]:
    networks: set[str] = set()
    for there in (await interfaces(ctx)).values():
        for each in there.get(family, []):
            network = ipaddress.ip_network(
                f"{each['address']}/{each.get('netmask') or each['prefixlen']}", strict=False
            )
            networks |= set() if network.is_loopback else {str(network)}
    return sorted(networks)


def _described(match: re.Match[str]) -> dict[str, str]:
    address, prefix = match["address"], match["prefix"]
    if match["family"] == "inet6":
        return {"address": address, "prefixlen": prefix, "scope": match["scope"]}
    netmask = str(ipaddress.ip_network(f"0.0.0.0/{prefix}").netmask)
    described = {"address": address, "netmask": netmask}
    described |= {"broadcast": match["broadcast"]} if match["broadcast"] else {}
    return described | ({"label": match["label"]} if match["label"] else {})


FUNCTIONS: Final = by_name(
    calc_net, convert_cidr, default_route, get_fqdn, get_hostname, get_route, hw_addr, ifacestartswith,
    in_subnet, interface, interface_ip, interfaces, ip_addrs, ip_addrs6, ip_in_subnet, is_loopback,
    is_private, mod_hostname, ping, reverse_ip, subnets, subnets6, hwaddr=hw_addr, ipaddrs=ip_addrs,
    ipaddrs6=ip_addrs6,
)  # fmt: skip
