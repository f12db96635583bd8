"""The `ethtool` options of an interface: speed, duplex, and offloads.

Source: Salt's execution modules `debian_ip` and `rh_ip`, 3008: options, values and their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.ip.settings import chosen, invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

_DUPLEX: Final = ("full", "half")
_SPEEDS: Final = ("10", "100", "1000", "10000")
_OFFLOADS: Final = ("rx", "tx", "sg", "tso", "ufo", "gso", "gro", "lro")
_ADVERTISED: Final = (
    "0x001", "0x002", "0x004", "0x008", "0x010", "0x020", "0x20000", "0x8000", "0x1000", "0x40000", "0x80000",
    "0x200000", "0x400000", "0x800000", "0x1000000", "0x2000000", "0x4000000",
)  # fmt: skip
_CHANNELS: Final = ("rx", "tx", "other", "combined")


def ethtool_options(iface: str, given: Mapping[str, Any], *, processors: int | None = None) -> dict[str, Any]:
    """Return the options for `ethtool`.

    Args:
        iface: the interface, for errors.
        given: its settings.
        processors: the target's number of processors. With it, advertised modes and channels are included,
            for which Debian's files have no options.

    Raises:
        StateFailedError: a value is not valid.
    """
    options: dict[str, Any] = {}
    if "autoneg" in given:
        options["autoneg"] = chosen(iface, "autoneg", given["autoneg"], yes="on", no="off")
    if "duplex" in given:
        if given["duplex"] not in _DUPLEX:
            raise invalid(iface, "duplex", _DUPLEX)
        options["duplex"] = given["duplex"]
    if "speed" in given:
        if str(given["speed"]) not in _SPEEDS:
            raise invalid(iface, given["speed"], _SPEEDS)
        options["speed"] = given["speed"]
    if processors is not None:
        options |= _more(iface, given, processors)
    for option in _OFFLOADS:
        if option in given:
            options[option] = chosen(iface, option, given[option], yes="on", no="off")
    return options


def _more(iface: str, given: Mapping[str, Any], processors: int) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "advertise" in given:
        if str(given["advertise"]) not in _ADVERTISED:
            raise invalid(iface, "advertise", _ADVERTISED)
        options["advertise"] = given["advertise"]
    channels: dict[str, Any] = given.get("channels") or {}
    for option, value in channels.items():
        if option in _CHANNELS and value not in range(1, processors + 1):
            raise invalid(iface, value, range(1, processors + 1))
    if parts := [f"{option} {channels[option]}" for option in _CHANNELS if option in channels]:
        options[f"-L {iface.strip()}"] = " ".join(parts)
    return options
