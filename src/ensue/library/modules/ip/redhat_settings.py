"""Converts a user's settings of an interface to a file `ifcfg-…` of the Red Hat family.

Source: Salt's execution module `rh_ip`, 3008: which settings apply, their order and quotes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules.ip.ethtool import ethtool_options
from ensue.library.modules.ip.redhat_bonds import bond_options
from ensue.library.modules.ip.settings import (
    FALSE,
    TRUE,
    chosen,
    invalid,
    is_address,
    is_integer,
    is_mac,
    is_one_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TYPES: Final = (
    "eth", "bond", "team", "alias", "clone", "ipsec", "dialup", "bridge", "slave", "teamport", "vlan", "ipip",
    "ib",
)  # fmt: skip
_NOT_DESCRIBED: Final = frozenset({"clone", "ipsec", "dialup"})
_WITHOUT_HARDWARE: Final = frozenset({"bond", "team", "vlan", "bridge", "ipip"})
_DEVICE_TYPES: Final[dict[str, str]] = {
    "bond": "Bond", "eth": "Ethernet", "bridge": "Bridge", "ipip": "IPIP", "ib": "InfiniBand",
}  # fmt: skip
_AS_GIVEN: Final = (
    "dns", "ipaddr", "master", "srcaddr", "delay", "domain", "gateway", "uuid", "nickname", "zone",
    "ipv6addr", "ipv6gateway", "enable_ipv6", "ipaddr_start", "ipaddr_end", "clonenum_start", "macaddr",
    "hwaddr",
)  # fmt: skip
_SWITCHES: Final = (
    "onparent", "peerdns", "peerroutes", "slave", "vlan", "defroute", "stp", "ipv6_peerdns", "ipv6_defroute",
    "ipv6_peerroutes", "ipv6_autoconf", "ipv4_failure_fatal", "dhcpv6c",
)  # fmt: skip


def fields_of(
    iface: str, kind: str, settings: Mapping[str, Any], *, is_enabled: bool, release: int, processors: int
) -> dict[str, Any]:
    """Return the fields of an interface's file, with Salt's names.

    Args:
        kind: its type.
        settings: the user's settings.
        is_enabled: whether it comes up at boot.
        release: the major release of the system.
        processors: the target's number of processors.

    Raises:
        StateFailedError: a setting is missing, or has an invalid value.
    """
    given = _prepared(iface, kind, settings)
    options: dict[str, Any] = {"name": iface}
    options |= {word: given[word] for word in _AS_GIVEN if word in given}
    options |= {"peerdns": "yes"} if "dns" in given else {}
    options |= _addresses(iface, given)
    options |= _numbers(iface, given)
    if kind != "bridge":
        tool = ethtool_options(iface, given, processors=processors)
        options |= {"ethtool": " ".join(f"{word} {value}" for word, value in tool.items())} if tool else {}
        options |= {"bridge": given["bridge"]} if "bridge" in given else {}
    options |= _of_kind(iface, kind, given, release)
    for word in _SWITCHES:
        if word in given:
            options[word] = chosen(iface, given[word], given[word], yes="yes", no="no")
    if is_one_of(given.get("arpcheck"), FALSE) and "arpcheck" in given:
        options["arpcheck"] = "no"
    options["onboot"] = "yes" if is_enabled else "no"
    for word in ("userctl", "nm_controlled"):
        options[word] = chosen(iface, given.get(word), given.get(word, "no"), yes="yes", no="no")
    return options


def needs_hardware_address(kind: str, settings: Mapping[str, Any]) -> bool:
    """Return whether the file must contain the actual hardware address."""
    return kind not in {*_WITHOUT_HARDWARE, "slave"} and "hwaddr" not in settings


def ifcfg(fields: Mapping[str, Any]) -> str:
    """Return the text of a file `ifcfg-…`.

    Args:
        fields: the fields from `fields_of`.
    """
    return "".join(f"{line}\n" for line in _lines(fields))


def _prepared(iface: str, kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with those that the type implies, after a check."""
    if kind not in TYPES or kind in _NOT_DESCRIBED:
        raise invalid(iface, kind, [each for each in TYPES if each not in _NOT_DESCRIBED])
    given = dict(settings)
    required = {"slave": "master", "bond": "mode"}.get(kind)
    if required and required not in given:
        raise StateFailedError(f"{required} is a required setting for {kind} interfaces")
    if kind == "slave":
        given["slave"] = "yes"
    if kind == "vlan":
        given["vlan"] = "yes"
    if kind == "teamport":
        if "master" not in given and "team_master" not in given:
            raise StateFailedError("master or team_master is a required setting for teamport interfaces")
        given = {"team_master": given.get("master"), **given}
        given.pop("master", None)
    if "hwaddr" in given and "macaddr" in given:
        raise StateFailedError("Cannot pass both hwaddr and macaddr. Must use either hwaddr or macaddr")
    if "prefix" in given and "netmask" in given:
        raise StateFailedError("Cannot use prefix and netmask together")
    return given


def _of_kind(iface: str, kind: str, given: Mapping[str, Any], release: int) -> dict[str, Any]:
    """Return the fields that an interface has because of its type."""
    hardware = given.get("hwaddr", "none")
    if kind not in _WITHOUT_HARDWARE and not is_mac(hardware) and hardware not in {"auto", "none"}:
        raise invalid(iface, hardware, ("AA:BB:CC:DD:EE:FF", "auto", "none"))
    options: dict[str, Any] = {"devtype": _DEVICE_TYPES[kind]} if kind in _DEVICE_TYPES else {}
    if kind == "slave":
        options["proto"] = "none"
    elif kind in {"team", "teamport"}:
        options |= _team(kind, given)
    elif kind == "bond":
        bond = bond_options(iface, given, release=release)
        options["bonding"] = " ".join(f"{word}={value}" for word, value in bond.items())
    elif kind == "vlan":
        options |= _vlan(iface, given)
        options |= {"devtype": "Vlan"} if options else {}
    elif kind == "ipip":
        for word in ("my_inner_ipaddr", "my_outer_ipaddr"):
            if word not in given:
                raise invalid(iface, word, ["1.2.3.4"])
            options[word] = given[word]
    return options


def _team(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    word = "team_config" if kind == "team" else "team_port_config"
    options: dict[str, Any] = {"devicetype": "Team" if kind == "team" else "TeamPort"}
    options |= {"team_master": given["team_master"]} if kind == "teamport" else {}
    return options | ({word: json.dumps(given[word])} if word in given else {})


def _vlan(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if "reorder_hdr" in given and not is_one_of(given["reorder_hdr"], (*TRUE, *FALSE)):
        raise invalid(iface, "reorder_hdr", (*TRUE, *FALSE))
    if "vlan_id" in given and not (is_integer(given["vlan_id"]) and int(given["vlan_id"]) > 0):
        raise invalid(iface, "vlan_id", ["Positive integer"])
    if "phys_dev" in given and not given["phys_dev"]:
        raise invalid(iface, "phys_dev", ["Non-empty string"])
    return {word: given[word] for word in ("reorder_hdr", "vlan_id", "phys_dev") if word in given}


def _numbers(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {word: given[word] for word in ("prefix", "netmask") if word in given}
    if "proto" in given:
        methods = ("none", "bootp", "dhcp")
        if given["proto"] not in methods:
            raise invalid(iface, given["proto"], methods)
        options["proto"] = given["proto"]
    if "mtu" in given:
        if not is_integer(given["mtu"]):
            raise invalid(iface, "mtu", ["integer"])
        options["mtu"] = int(given["mtu"])
    return options


def _addresses(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for word, version in (("ipaddrs", 4), ("ipv6addrs", 6)):
        each = given.get(word, [])
        if not all(is_address(address, version=version) for address in each):
            raise StateFailedError(f"ipv{version} CIDR is invalid")
        if version == 4 and not all("/" in address for address in each):  # noqa: PLR2004 (a version of IP)
            raise invalid(iface, word, ["addresses with prefixes"])
        options |= {word: each} if each else {}
    return options


_PLAIN: Final = (
    ("NAME", "nickname"), ("HWADDR", "hwaddr"), ("MACADDR", "macaddr"), ("UUID", "uuid"),
    ("USERCTL", "userctl"), ("MASTER", "master"), ("SLAVE", "slave"), ("VLAN", "vlan"),
)  # fmt: skip
_VLAN_LINES: Final = (("REORDER_HDR", "reorder_hdr"), ("VID", "vlan_id"), ("PHYSDEV", "phys_dev"))
_ADDRESS_LINES: Final = (
    ("IPV4_FAILURE_FATAL", "ipv4_failure_fatal"), ("IPADDR", "ipaddr"), ("IPADDR_START", "ipaddr_start"),
    ("IPADDR_END", "ipaddr_end"), ("CLONENUM_START", "clonenum_start"), ("NETMASK", "netmask"),
    ("PREFIX", "prefix"),
)  # fmt: skip
_IPV6_LINES: Final = (
    ("IPV6_AUTOCONF", "ipv6_autoconf"), ("DHCPV6C", "dhcpv6c"), ("IPV6ADDR", "ipv6addr"),
    ("IPV6_DEFAULTGW", "ipv6gateway"), ("IPV6ADDR_SECONDARIES", "ipv6addrs"),
    ("IPV6_PEERDNS", "ipv6_peerdns"), ("IPV6_DEFROUTE", "ipv6_defroute"),
    ("IPV6_PEERROUTES", "ipv6_peerroutes"),
)  # fmt: skip
_ROUTE_LINES: Final = (
    ("SRCADDR", "srcaddr"), ("PEERDNS", "peerdns"), ("PEERROUTES", "peerroutes"), ("PEERNTP", "peerntp"),
    ("DEFROUTE", "defroute"), ("BRIDGE", "bridge"), ("STP", "stp"),
)  # fmt: skip


def _lines(fields: Mapping[str, Any]) -> Iterator[str]:
    yield f'DEVICE="{fields["name"]}"'
    yield from _some(fields, _PLAIN)
    if fields.get("vlan"):
        yield from _some(fields, _VLAN_LINES)
    yield from _some(fields, (("TYPE", "devtype"), ("DEVICETYPE", "devicetype")))
    yield from _some(
        fields, (("TEAM_CONFIG", "team_config"), ("TEAM_PORT_CONFIG", "team_port_config")), mark="'"
    )
    yield from _some(fields, (("TEAM_MASTER", "team_master"), ("BOOTPROTO", "proto"), ("ONBOOT", "onboot")))
    yield from _some(fields, (("ONPARENT", "onparent"),), mark="")
    yield from _some(fields, _ADDRESS_LINES)
    for number, each in enumerate(fields.get("ipaddrs", ()), start=1):
        address, _, prefix = each.partition("/")
        yield f'IPADDR{number}="{address.strip()}"'
        yield f'PREFIX{number}="{prefix.strip()}"'
    yield from _some(fields, (("GATEWAY", "gateway"), ("ARPCHECK", "arpcheck")))
    if fields.get("enable_ipv6"):
        yield 'IPV6INIT="yes"'
        yield from _some(fields, _IPV6_LINES)
    yield from _some(fields, _ROUTE_LINES)
    if fields.get("delay") or fields.get("delay") == 0:
        yield f'DELAY="{fields["delay"]}"'
    yield from _some(fields, (("MTU", "mtu"), ("ZONE", "zone")))
    inner = (("MY_INNER_IPADDR", "my_inner_ipaddr"), ("MY_OUTER_IPADDR", "my_outer_ipaddr"))
    yield from _some(fields, inner, mark="")
    yield from _some(fields, (("BONDING_OPTS", "bonding"), ("ETHTOOL_OPTS", "ethtool"), ("DOMAIN", "domain")))
    yield from _some(fields, (("NM_CONTROLLED", "nm_controlled"),))
    servers: Any = fields.get("dns") or []
    for number, server in enumerate(servers if is_list(servers) else str(servers).split(), start=1):
        yield f'DNS{number}="{server}"'


def _some(fields: Mapping[str, Any], words: tuple[tuple[str, str], ...], *, mark: str = '"') -> Iterator[str]:
    for written, word in words:
        if value := fields.get(word):
            text = " ".join(map(str, value)) if is_list(value) else value
            yield f"{written}={mark}{text}{mark}"
