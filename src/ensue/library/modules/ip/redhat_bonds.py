"""Bonds of the Red Hat family: the optional and required options of each mode.

Source: Salt's execution module `rh_ip`, 3008: options by mode, their order and values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.ip.debian_bonds import mode_number
from ensue.library.modules.ip.settings import arp_targets, chosen, invalid, is_integer

if TYPE_CHECKING:
    from collections.abc import Mapping

_ARP: Final = frozenset({"0", "2"})
"""Modes that may monitor their links with ARP instead of the link state of the hardware."""

_PRIMARY: Final = frozenset({"1", "5", "6"})
_HASHES: Final = ("layer2", "layer2+3", "layer3+4")
_MORE_HASHES: Final = (*_HASHES, "encap2+3", "encap3+4")
_RATES: Final[dict[str, str]] = {"fast": "1", "slow": "0", "0": "0", "1": "1"}
_RELEASE_WITH_VLAN_HASH: Final = 8


def bond_options(iface: str, given: Mapping[str, Any], *, release: int) -> dict[str, Any]:
    """Return the options of a bond.

    Args:
        iface: the bond.
        given: its settings.
        release: the major release of the system.

    Raises:
        StateFailedError: an option is missing, or has an invalid value.
    """
    mode = mode_number(iface, str(given["mode"]))
    options: dict[str, Any] = {"mode": mode, **_link(iface, given)}
    if mode in _ARP:
        options |= _arp(iface, given)
        if "miimon" not in given and "arp_interval" not in given:
            raise invalid(iface, "miimon or arp_interval", ["at least one of these is required"])
    elif "miimon" not in given:
        raise invalid(iface, "miimon", ["integer"])
    if mode == "4":
        options |= _aggregation(iface, given)
    if mode in _PRIMARY and "primary" in given:
        options["primary"] = given["primary"]
    if mode in {"2", "4"} and "hashing-algorithm" in given:
        more = ("vlan+srcmac",) if release >= _RELEASE_WITH_VLAN_HASH else ()
        allowed = _HASHES if mode == "2" else (*_MORE_HASHES, *more)
        if given["hashing-algorithm"] not in allowed:
            raise invalid(iface, "hashing-algorithm", allowed)
        options["xmit_hash_policy"] = given["hashing-algorithm"]
    return options


def _link(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for monitoring the link state of the hardware."""
    options: dict[str, Any] = {}
    for option in ("miimon", "downdelay", "updelay"):
        if option in given:
            if not is_integer(given[option]):
                raise invalid(iface, option, ["integer"])
            options[option] = given[option]
    if "miimon" not in given:
        return options
    interval = int(given["miimon"])
    if not interval:
        raise invalid(iface, "miimon", ["nonzero integer"])
    options.setdefault("downdelay", interval * 2)
    for option in ("downdelay", "updelay"):
        if int(options.get(option, 0)) % interval:
            raise invalid(iface, option, [f"0 or a multiple of miimon ({options['miimon']})"])
    carrier = given.get("use_carrier", "0")
    return {**options, "use_carrier": chosen(iface, "use_carrier", carrier, yes="1", no="0")}


def _arp(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if "arp_interval" not in given:
        return {}
    if not is_integer(given["arp_interval"]):
        raise invalid(iface, "arp_interval", ["integer"])
    return {"arp_interval": given["arp_interval"], "arp_ip_target": arp_targets(iface, given)}


def _aggregation(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    rate = given.get("lacp_rate", "0")
    if not isinstance(rate, str) or rate not in _RATES:
        raise invalid(iface, "lacp_rate", ("fast", "1", "slow", "0"))
    selection = given.get("ad_select", "0")
    if not is_integer(selection):
        raise invalid(iface, "ad_select", ["integer"])
    return {"lacp_rate": _RATES[rate], "ad_select": selection}
