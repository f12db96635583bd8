"""The options of interfaces(5): their valid values, and how the settings of users are written there.

An invalid value is left out, as Salt does.

Source: Salt's execution module `debian_ip`, 3008: options and their values; interfaces(5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.library.modules.ip.settings import is_address, is_integer, is_mac, is_netmask

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any], tuple[bool, Any]]

FAMILIES: Final = ("inet", "inet6")

HOOKS: Final = ("up_cmds", "pre_up_cmds", "post_up_cmds", "down_cmds", "pre_down_cmds", "post_down_cmds")
"""Settings with commands that run when an interface comes up or goes down."""

ETHTOOL: Final[dict[str, str]] = {
    "speed": "link-speed", "duplex": "link-duplex", "autoneg": "ethernet-autoneg",
    "ethernet-port": "ethernet-port", "wol": "ethernet-wol", "driver-message-level": "driver-message-level",
    "ethernet-pause-rx": "ethernet-pause-rx", "ethernet-pause-tx": "ethernet-pause-tx",
    "ethernet-pause-autoneg": "ethernet-pause-autoneg", "rx": "offload-rx", "tx": "offload-tx",
    "sg": "offload-sg", "tso": "offload-tso", "ufo": "offload-ufo", "gso": "offload-gso",
    "gro": "offload-gro", "lro": "offload-lro",
    "hardware-irq-coalesce-adaptive-rx": "hardware-irq-coalesce-adaptive-rx",
    "hardware-irq-coalesce-adaptive-tx": "hardware-irq-coalesce-adaptive-tx",
    "hardware-irq-coalesce-rx-usecs": "hardware-irq-coalesce-rx-usecs",
    "hardware-irq-coalesce-rx-frames": "hardware-irq-coalesce-rx-frames",
    "hardware-dma-ring-rx": "hardware-dma-ring-rx", "hardware-dma-ring-rx-mini": "hardware-dma-ring-rx-mini",
    "hardware-dma-ring-rx-jumbo": "hardware-dma-ring-rx-jumbo",
    "hardware-dma-ring-tx": "hardware-dma-ring-tx",
}  # fmt: skip
"""Settings of `ethtool`, and their options in a stanza."""

_WORDS: Final[dict[str, str]] = {
    "dns": "dns-nameservers", "search": "dns-search", "hwaddr": "hwaddress", "ipaddr": "address",
    "ipaddrs": "addresses", "addr": "address", "addrs": "addresses",
}  # fmt: skip
"""Option names by the setting that users write."""


class Adapter(msgspec.Struct, kw_only=True):
    """An interface as configured in the files, or as requested.

    Args:
        is_enabled: whether it comes up at boot.
        is_hotplugged: whether it comes up when the kernel finds it.
        families: its options by address family.
        sources: for the pseudo-interface `source`: the files that are included.
    """

    is_enabled: bool = False
    is_hotplugged: bool = False
    families: dict[str, dict[str, Any]] = {}
    sources: list[str] = []


def option_of(setting: str) -> str:
    """Return the option of a stanza for a user's setting."""
    return _WORDS.get(setting, setting)


def is_option(option: str) -> bool:
    """Return whether an option belongs to an address."""
    return option in _WIRELESS or option in _IPV4 or option in _IPV6


def checked(option: str, value: Any, family: str) -> tuple[bool, Any]:
    """Return whether a value is valid for an option of a family, and the converted value."""
    check = (_IPV4 if family == "inet" else _IPV6).get(option) or _WIRELESS.get(option)
    return check(value) if check else (False, value)


def _anything(value: Any) -> tuple[bool, Any]:
    return True, value


def _integer(value: Any) -> tuple[bool, Any]:
    return (True, int(value)) if is_integer(value) else (False, value)


def _float(value: Any) -> tuple[bool, Any]:
    try:
        return True, float(value)
    except (ValueError, TypeError):
        return False, value


def _mac(value: Any) -> tuple[bool, Any]:
    return is_mac(value), value


def _ipv4(value: Any) -> tuple[bool, Any]:
    return is_address(value, version=4), value


def _ipv6(value: Any) -> tuple[bool, Any]:
    return is_address(value, version=6), value


def _netmask(value: Any) -> tuple[bool, Any]:
    is_number, number = _integer(value)
    return (is_number and 0 <= number <= 32) or is_netmask(number), number  # noqa: PLR2004 (bits of an address)


def _prefix(value: Any) -> tuple[bool, Any]:
    is_number, number = _integer(value)
    return is_number and 0 <= number <= 128, number  # noqa: PLR2004 (bits of an address)


def _words(value: Any) -> tuple[bool, Any]:
    words = value.split() if isinstance(value, str) else value
    return isinstance(words, (list, dict)) and words != [], words  # pyright: ignore[reportUnknownVariableType]


def _text_of(*allowed: str) -> Check:
    return lambda value: (str(value) in allowed, str(value))


def _just(*allowed: str) -> Check:
    return lambda value: (isinstance(value, str) and value in allowed, value)


def _number_to(last: int) -> Check:
    def check(value: Any) -> tuple[bool, Any]:
        is_number, number = _integer(value)
        return is_number and 0 <= number <= last, number

    return check


IPV4_METHODS: Final = ("bootp", "dhcp", "static", "manual", "loopback", "ppp")
_MODES: Final = ("gre", "GRE", "ipip", "IPIP", "802.3ad")
_COMMON: Final[dict[str, Check]] = {
    "addresses": _anything, "hwaddress": _mac, "mtu": _integer, "slaves": _anything,
    "mode": _text_of(*_MODES), "endpoint": _ipv4, "local": _ipv4, "ttl": _integer, "dns-nameservers": _words,
    "dns-search": _words, "vlan-raw-device": _anything, "test": _anything, "enable_ipv4": _anything,
    "enable_ipv6": _anything,
}  # fmt: skip
_IPV4: Final[dict[str, Check]] = {
    **_COMMON,
    "proto": _text_of(*IPV4_METHODS), "address": _ipv4, "netmask": _netmask, "broadcast": _ipv4,
    "metric": _integer, "gateway": _ipv4, "pointopoint": _ipv4, "scope": _text_of("global", "link", "host"),
    "hostname": _anything, "leasehours": _integer, "leasetime": _integer, "vendor": _anything,
    "client": _anything, "bootfile": _anything, "server": _ipv4, "hwaddr": _mac, "dstaddr": _ipv4,
    "provider": _anything, "unit": _integer, "options": _anything, "network": _anything,
}  # fmt: skip
_IPV6: Final[dict[str, Check]] = {
    **_COMMON,
    "proto": _just("auto", "loopback", "static", "manual", "dhcp", "v4tunnel", "6to4"), "address": _ipv6,
    "netmask": _prefix, "broadcast": _ipv6, "gateway": _ipv6,
    "scope": _text_of("global", "site", "link", "host"), "privext": _number_to(2), "dhcp": _number_to(1),
    "media": _anything, "accept_ra": _number_to(2), "autoconf": _number_to(1),
    "preferred-lifetime": _integer, "dad-attempts": _integer, "dad-interval": _float,
}  # fmt: skip
_WIRELESS: Final[dict[str, Check]] = {
    "wireless-essid": _anything, "wireless-mode": _anything, "wpa-ap-scan": _number_to(2),
    "wpa-conf": _anything, "wpa-driver": _anything, "wpa-group": _anything, "wpa-key-mgmt": _anything,
    "wpa-pairwise": _anything, "wpa-psk": _anything, "wpa-proto": _anything, "wpa-roam": _anything,
    "wpa-ssid": _anything,
}  # fmt: skip
