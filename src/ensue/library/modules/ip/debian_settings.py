"""Converts a user's settings of an interface for Debian.

Source: Salt's execution module `debian_ip`, 3008: which settings apply to which type and address family.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules.ip.debian_bonds import bond_options
from ensue.library.modules.ip.debian_options import (
    ETHTOOL,
    FAMILIES,
    HOOKS,
    IPV4_METHODS,
    Adapter,
    checked,
    option_of,
)
from ensue.library.modules.ip.ethtool import ethtool_options
from ensue.library.modules.ip.settings import chosen, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TYPES: Final = (
    "eth", "bond", "alias", "clone", "ipsec", "dialup", "bridge", "slave", "vlan", "pppoe", "source",
)  # fmt: skip
_DESCRIBED: Final = ("eth", "bond", "bridge", "slave", "vlan", "pppoe", "source")
_OF_IPV4: Final = frozenset({"ipaddr", "address", "ipaddresses", "addresses", "gateway", "proto"})
_PPPOE_SWITCHES: Final = (
    "noipdefault", "usepeerdns", "defaultroute", "hide-password", "noauth", "persist", "noaccomp",
)  # fmt: skip
_PPPOE: Final = (
    *_PPPOE_SWITCHES, "user", "password", "provider", "pppoe_iface", "holdoff", "maxfail",
    "lcp-echo-interval", "lcp-echo-failure", "connect", "mtu", "linkname",
)  # fmt: skip
_BRIDGE_MAC: Final = re.compile(r"[0-9a-f]{2}([-:])[0-9a-f]{2}(\1[0-9a-f]{2}){4}$")


def adapter_of(
    iface: str, kind: str, settings: Mapping[str, Any], *, is_enabled: bool, has_carrier_option: bool = True
) -> Adapter:
    """Return the requested configuration of an interface.

    Args:
        kind: its type.
        settings: the user's settings.
        is_enabled: whether it comes up at boot.
        has_carrier_option: see `bond_options`.

    Raises:
        StateFailedError: a setting is missing, or has an invalid value.
    """
    _check(iface, kind, settings)
    if kind == "source":
        return Adapter(sources=[str(settings["source"])])
    families: dict[str, dict[str, Any]] = {family: {} for family in FAMILIES}
    for family, options in families.items():
        if kind != "bridge" and (tool := ethtool_options(iface, settings)):
            options["ethtool"] = {ETHTOOL[word]: value for word, value in tool.items()}
        options.update(_of_kind(iface, kind, settings, family, has_carrier_option=has_carrier_option))
    given = {**settings, **({"proto": "manual"} if kind == "slave" else {})}
    given.pop("mode", None)
    for setting, value in given.items():
        _place(families, setting, value)
    for options in families.values():
        options |= {hook: settings[hook] for hook in HOOKS if hook in settings}
    for family, switch in (("inet", "enable_ipv4"), ("inet6", "enable_ipv6")):
        if settings.get(switch) is False or families[family].get("addrfam") != family:
            del families[family]
    is_hotplugged = bool(settings.get("hotplug"))
    if not any(options.get("proto") for options in families.values()):
        # Salt writes `auto` without `iface` in this case, and `ifup` fails at each boot.
        raise invalid(iface, "proto", IPV4_METHODS)
    return Adapter(is_enabled=is_enabled, is_hotplugged=is_hotplugged, families=families)


def _check(iface: str, kind: str, settings: Mapping[str, Any]) -> None:
    if kind not in _DESCRIBED:
        raise invalid(iface, kind, TYPES if kind not in TYPES else _DESCRIBED)
    required = {"slave": "master", "bond": "slaves", "bridge": "ports", "source": "source"}.get(kind)
    if required and required not in settings:
        where = " on Debian or Ubuntu based systems" if kind == "bridge" else ""
        raise StateFailedError(f"{required} is a required setting for {kind} interfaces{where}")


def _of_kind(
    iface: str, kind: str, settings: Mapping[str, Any], family: str, *, has_carrier_option: bool
) -> dict[str, Any]:
    """Return the options that an interface has because of its type."""
    options: dict[str, Any] = {"addrfam": family}
    if kind == "bond":
        bonding = bond_options(iface, settings, has_carrier_option=has_carrier_option)
        return {**options, "bonding": {**bonding, "slaves": settings["slaves"]}}
    if kind == "slave":
        return {**options, "master": settings["master"]}
    if kind == "vlan":
        return {**options, "vlan_raw_device": re.sub(r"\.\d*", "", iface)}
    if kind == "bridge":
        bridging = _bridge_options(iface, settings)
        return {**options, "bridging": bridging} if bridging else {}
    if kind == "pppoe":
        return {**options, **_pppoe_options(iface, settings)}
    return {}


def _place(families: dict[str, dict[str, Any]], setting: str, value: Any) -> None:
    """Add a setting to the families that have such an option."""
    only = None
    if setting.startswith(("ipv4", "ipv6")):
        only = "inet" if setting.startswith("ipv4") else "inet6"
        setting = setting[len("ipv4") :]
    elif setting in _OF_IPV4:
        only = "inet"
    if only:
        families[only]["addrfam"] = only
    option = option_of(setting)
    word = option.replace("-", "_")
    for family, options in families.items():
        is_taken, kept = checked(option, value, family)
        if is_taken and (only == family or (only is None and word not in options)):
            options[word] = kept


def _pppoe_options(iface: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    options = {option: settings[option] for option in _PPPOE if option in settings}
    if "provider" in settings and not settings["provider"]:
        raise invalid(iface, "provider", ["the name of a file of /etc/ppp/peers"])
    for option in _PPPOE_SWITCHES:
        if option in options:
            options[option] = chosen(iface, option, options[option], yes="True", no="False")
    return options


def _bridge_options(iface: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    ports = settings["ports"]
    options: dict[str, Any] = {"ports": " ".join(map(str, ports)) if is_list(ports) else ports}
    for option, (takes, expected) in _BRIDGE.items():
        if option in settings:
            if not takes(settings[option]):
                raise invalid(iface, option, [expected])
            options[option] = settings[option]
    for option in ("pathcost", "portprio"):
        if option in settings:
            options[option] = _port_and_number(iface, option, settings[option])
    if "stp" in settings:
        options["stp"] = chosen(iface, "stp", settings["stp"], yes="on", no="off")
    if "waitport" in settings:
        options["waitport"] = _wait(iface, settings["waitport"])
    return options


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (ValueError, TypeError):
        return False
    return True


def _port_and_number(iface: str, option: str, value: Any) -> str:
    words = str(value).split()
    if len(words) != 2 or not re.fullmatch(r"[+-]?\d+", words[1]):  # noqa: PLR2004 (the two it is made of)
        raise invalid(iface, option, ["interface integer"])
    return " ".join(words)


def _wait(iface: str, value: Any) -> Any:
    words = str(value).split()
    if isinstance(value, int):
        return value
    if not words[1:] or not words[0].isdigit():
        raise invalid(iface, "waitport", ["integer [interfaces]"])
    return " ".join(words)


_BRIDGE: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    **dict.fromkeys(("ageing", "fd", "gcint", "hello", "maxage"), (_is_number, "float")),
    **dict.fromkeys(("bridgeprio", "maxwait"), (lambda value: isinstance(value, int), "integer")),
    "hw": (lambda value: _BRIDGE_MAC.match(str(value).lower()) is not None, "valid MAC address"),
}
"""Options of a bridge that are copied if their value has the given form."""
