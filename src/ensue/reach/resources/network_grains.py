"""Computes the network grains of a machine from raw facts: gateways, resolver, addresses and names.

Names come from `/etc/hosts`. No name server is asked, because it may hang.

Source: the names and shapes of Salt's core grains; proc(5), resolv.conf(5), hosts(5).
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.data import DataMap

NETWORK_FACTS: Final = r"""
sed -n '/^[^[:space:]]*[[:space:]]00000000[[:space:]]/s/^/route4=/p' /proc/net/route 2>/dev/null
sed -n '/^0\{32\} 00 /s/^/route6=/p' /proc/net/ipv6_route 2>/dev/null
if [ -r /run/systemd/resolve/resolv.conf ]; then file resolv /run/systemd/resolve/resolv.conf
else file resolv /etc/resolv.conf; fi
"""
"""The part of the script that gathers facts for these grains; see `posix_grains`."""

_IS_UP: Final = 0x1
_HAS_GATEWAY: Final = 0x2
_REJECTS: Final = 0x200
_COLUMNS_4: Final = 8
_COLUMNS_6: Final = 10
_IPV4: Final = 4


def network_grains(facts: Mapping[str, str], *, fqdn: str, own: frozenset[str]) -> DataMap:
    """Return `ip_gw ip4_gw ip6_gw dns fqdn_ip4 fqdn_ip6 fqdns`.

    Args:
        facts: raw texts by name: `route4`, `route6`, `resolv`, `hosts`.
        fqdn: the machine's long name.
        own: the machine's addresses.
    """
    gateway_4 = _gateway(_routes_4(facts.get("route4", "")))
    gateway_6 = _gateway(_routes_6(facts.get("route6", "")))
    hosts = list(_hosts(facts.get("hosts", "")))
    of_name = [address for address, names in hosts if fqdn in names]
    elsewhere = {address for address in own if not ipaddress.ip_address(address).is_loopback}
    names = {name for address, names in hosts if address in elsewhere for name in names if "." in name}
    return {
        "ip_gw": bool(gateway_4 or gateway_6),
        "ip4_gw": gateway_4,
        "ip6_gw": gateway_6,
        "dns": _resolver(facts.get("resolv", "")),
        "fqdn_ip4": [*dict.fromkeys(address for address in of_name if ":" not in address)],
        "fqdn_ip6": [*dict.fromkeys(address for address in of_name if ":" in address)],
        "fqdns": [*sorted(names)],
    }


def _gateway(routes: Iterator[tuple[int, str]]) -> str | bool:
    """Return the gateway of the cheapest default route; True if it has none, False if there is no route."""
    by_metric = sorted(routes, key=lambda route: route[0])
    return (by_metric[0][1] or True) if by_metric else False


def _routes_4(text: str) -> Iterator[tuple[int, str]]:
    """Yield cost and gateway of the default routes in lines of `/proc/net/route`."""
    for line in text.splitlines():
        words = line.split()
        if len(words) < _COLUMNS_4 or words[1] != words[7] or int(words[1], 16):
            continue
        flags = int(words[3], 16)
        if flags & _IS_UP and not flags & _REJECTS:
            number = int.from_bytes(int(words[2], 16).to_bytes(4, "big"), "little")
            yield int(words[6]), str(ipaddress.IPv4Address(number)) if flags & _HAS_GATEWAY else ""


def _routes_6(text: str) -> Iterator[tuple[int, str]]:
    """Yield cost and gateway of the default routes in lines of `/proc/net/ipv6_route`."""
    for line in text.splitlines():
        words = line.split()
        if len(words) < _COLUMNS_6 or int(words[0], 16) or int(words[1], 16):
            continue
        flags = int(words[8], 16)
        if flags & _IS_UP and not flags & _REJECTS:
            address = ipaddress.IPv6Address(int(words[4], 16))
            yield int(words[5], 16), str(address) if flags & _HAS_GATEWAY else ""


def _hosts(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield address and names of each line of `/etc/hosts`."""
    for line in text.splitlines():
        address, *names = [*line.partition("#")[0].split(), ""]
        try:
            yield str(ipaddress.ip_address(address)), names
        except ValueError:
            continue


def _resolver(text: str) -> DataMap:
    servers: list[str] = []
    settings: dict[str, list[str]] = {"search": [], "sortlist": [], "options": []}
    domain = ""
    for line in text.splitlines():
        directive, *words = [*_without_comment(line), ""]
        words = [word for word in words if word]
        match directive.lower():
            case "nameserver" if words and _version(words[0]):
                servers.append(str(ipaddress.ip_address(words[0])))
            case "domain" if words:
                domain = words[0]
            case "search":
                settings["search"] = words
            case "sortlist":
                settings["sortlist"] += [word for word in words if word not in settings["sortlist"]]
            case "options" if words and words[0] not in settings["options"]:
                settings["options"].append(words[0])
            case _:
                pass
    servers = [*dict.fromkeys(servers)]
    return {
        "nameservers": [*servers],
        "ip4_nameservers": [server for server in servers if _version(server) == _IPV4],
        "ip6_nameservers": [server for server in servers if _version(server) != _IPV4],
        "sortlist": [*settings["sortlist"]],
        "domain": domain,
        "search": [*settings["search"]],
        "options": [*settings["options"]],
    }


def _without_comment(line: str) -> list[str]:
    words: list[str] = []
    for word in line.split():
        if word.startswith(("#", ";")):
            break
        words.append(word)
    return words


def _version(text: str) -> int:
    """Return 4 or 6, or 0 if the text is not an address."""
    try:
        return ipaddress.ip_address(text).version
    except ValueError:
        return 0
