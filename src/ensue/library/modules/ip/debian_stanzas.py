"""Writes stanzas of interfaces(5): the order of options, and the form of values.

Source: Salt's execution module `debian_ip`, 3008: the order; interfaces(5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list
from ensue.library.modules.ip.debian_options import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.library.modules.ip.debian_options import Adapter

_ORDER: Final = (
    "autoconf", "privext", "dhcp", "hwaddress", "hwaddr", "vlan_raw_device", "address", "addresses",
    "netmask", "metric", "gateway", "pointopoint", "scope", "hostname", "media", "leasehours", "leasetime",
    "vendor", "client", "bootfile", "server", "mode", "endpoint", "dstaddr", "local", "ttl", "mtu",
    "provider", "unit", "options", "master", "dns_nameservers", "wireless_mode", "wpa_ap_scan", "wpa_conf",
    "wpa_driver", "wpa_group", "wpa_key_mgmt", "wpa_pairwise", "wpa_proto", "wpa_psk", "wpa_roam",
    "wpa_ssid", "accept_ra", "up_cmds", "down_cmds", "pre_up_cmds", "post_up_cmds", "pre_down_cmds",
    "post_down_cmds",
)  # fmt: skip
_WRITTEN: Final[dict[str, str]] = {
    "addresses": "address", "hwaddr": "hwaddress", "up_cmds": "up", "down_cmds": "down",
    "pre_up_cmds": "pre-up", "post_up_cmds": "post-up", "pre_down_cmds": "pre-down",
    "post_down_cmds": "post-down", "master": "bond-master", "accept_ra": "accept_ra",
}  # fmt: skip
_GROUPS: Final = (("ethtool", ""), ("bonding", "bond-"), ("bridging", "bridge_"))


def stanza(iface: str, adapter: Adapter) -> str:
    """Return the stanzas of an interface, empty if it has no address family and is not enabled.

    Args:
        iface: its name.
        adapter: its configuration.
    """
    lines = [f"auto {iface}"] if adapter.is_enabled else []
    lines += [f"allow-hotplug {iface}"] if adapter.is_hotplugged else []
    for name in FAMILIES:
        family = adapter.families.get(name, {})
        if family.get("addrfam") == name and family.get("proto"):
            lines += [f"iface {iface} {name} {family['proto']}", *_options(family)]
    return "".join(f"{line}\n" for line in lines)


def source_lines(sources: list[str]) -> str:
    """Return the lines that include other files."""
    return "".join(f"\nsource {each}\n" for each in sources)


def _options(family: dict[str, Any]) -> Iterator[str]:
    for option in _ORDER:
        value = family.get(option)
        if not value:
            continue
        written = _WRITTEN.get(option, option.replace("_", "-"))
        if option == "dns_nameservers":
            yield f"    {written} {' '.join(map(str, value))}"
        else:
            values = [value] if isinstance(value, (str, int, float)) else [*value]
            yield from (f"    {written} {each}" for each in values)
    for group, prefix in _GROUPS:
        for option, value in sorted(family.get(group, {}).items()):
            # A number is left out, as Salt does.
            if isinstance(value, str) or is_list(value):
                yield f"    {prefix}{option} {value if isinstance(value, str) else ' '.join(map(str, value))}"
