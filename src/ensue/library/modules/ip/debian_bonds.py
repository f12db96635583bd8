"""Bonds on Debian: the options and defaults of each mode.

Source: Salt's execution module `debian_ip`, 3008: options by mode, their order and values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.ip.settings import arp_targets, chosen, invalid, is_integer

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULTS: Final[dict[str, str]] = {
    "ad_select": "0", "arp_interval": "250", "downdelay": "200", "lacp_rate": "0", "miimon": "100",
    "updelay": "0", "use_carrier": "on",
}  # fmt: skip
MODES: Final = (
    "balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb",
)  # fmt: skip
"""The names of modes; a mode's number is its index."""

_LINK: Final = ("miimon", "downdelay", "updelay")
_TAKEN: Final[dict[str, tuple[str, ...]]] = {
    "0": ("arp_ip_target", "arp_interval"),
    "1": (*_LINK, "primary", "use_carrier"),
    "2": ("arp_ip_target", "arp_interval", "hashing-algorithm"),
    "3": (*_LINK, "use_carrier"),
    "4": (*_LINK, "lacp_rate", "ad_select", "use_carrier", "hashing-algorithm"),
    "5": (*_LINK, "use_carrier", "primary"),
    "6": (*_LINK, "use_carrier", "primary"),
}
_RATES: Final[dict[str, str]] = {"fast": "1", "slow": "0"}
_HASHES: Final = ("layer2", "layer2+3", "layer3+4")


def mode_number(iface: str, mode: Any) -> str:
    """Return the number of a mode as text.

    Raises:
        StateFailedError: there is no such mode.
    """
    numbers = [str(number) for number in range(len(MODES))]
    if not isinstance(mode, str) or mode not in (*MODES, *numbers):
        raise invalid(iface, "mode", [*numbers, *MODES])
    return mode if mode in numbers else str(MODES.index(mode))


def bond_options(iface: str, given: Mapping[str, Any], *, has_carrier_option: bool = True) -> dict[str, Any]:
    """Return the options of a bond.

    Args:
        iface: the bond.
        given: its settings.
        has_carrier_option: whether `use_carrier` is used with mode 1, as before Ubuntu 16.04.

    Raises:
        StateFailedError: an option is missing, or has an invalid value.
    """
    mode = mode_number(iface, given.get("mode"))
    options: dict[str, Any] = {"mode": mode}
    for option in _TAKEN[mode]:
        if option == "arp_ip_target":
            options[option] = arp_targets(iface, given)
        elif option == "primary":
            options |= {option: given[option]} if option in given else {}
        elif option == "hashing-algorithm":
            options |= _hashing(iface, given)
        elif option == "use_carrier":
            if has_carrier_option or mode != "1":
                options[option] = _carrier(iface, given)
        else:
            options[option] = _number(iface, option, given)
    return options


def _number(iface: str, option: str, given: Mapping[str, Any]) -> Any:
    value = given.get(option, _DEFAULTS[option])
    if option == "lacp_rate" and isinstance(value, str):
        value = _RATES.get(value, value)
    if not is_integer(value):
        raise invalid(iface, option, ["fast", "1", "slow", "0"] if option == "lacp_rate" else ["integer"])
    return value


def _carrier(iface: str, given: Mapping[str, Any]) -> str:
    if "use_carrier" not in given:
        return _DEFAULTS["use_carrier"]
    return chosen(iface, "use_carrier", given["use_carrier"], yes="1", no="0")


def _hashing(iface: str, given: Mapping[str, Any]) -> dict[str, Any]:
    value = given.get("hashing-algorithm")
    if "hashing-algorithm" not in given:
        return {}
    if value not in _HASHES:
        raise invalid(iface, "hashing-algorithm", _HASHES)
    return {"xmit_hash_policy": value}
