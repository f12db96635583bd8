"""Common parts of network settings on all systems: words for yes and no, and errors about options.

Source: Salt's execution modules `debian_ip` and `rh_ip`, 3008: accepted words, and texts.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TRUE: Final = ("yes", "on", "true", "1", True)
FALSE: Final = ("no", "off", "false", "0", False)

_MAC: Final = re.compile(
    r"[0-9a-f]{1,2}(?:(?P<mark>[-:.])[0-9a-f]{1,2})(?:(?P=mark)[0-9a-f]{1,2}){4}", re.IGNORECASE
)
_ARP_TARGETS_MAX: Final = 16


def invalid(iface: str, option: Any, expected: Iterable[Any]) -> StateFailedError:
    """Return the error for an option of an interface with an invalid value."""
    values = "|".join(str(each) for each in expected)
    return StateFailedError(f"Invalid option -- Interface: {iface}, Option: {option}, Expected: [{values}]")


def invalid_setting(option: str, expected: Iterable[Any]) -> StateFailedError:
    """Return the error for a global setting with an invalid value."""
    values = "|".join(str(each) for each in expected)
    return StateFailedError(f"Invalid network setting -- Setting: {option}, Expected: [{values}]")


def chosen(iface: str, option: Any, value: Any, *, yes: str, no: str) -> str:
    """Return one of two texts for a value that means yes or no.

    Args:
        iface: the interface, for the error.
        option: the name of the option in the error.
        value: what the user gave.
        yes: the text for yes.
        no: the text for no.

    Raises:
        StateFailedError: the value means neither.
    """
    if is_one_of(value, TRUE):
        return yes
    if is_one_of(value, FALSE):
        return no
    raise invalid(iface, option, (*TRUE, *FALSE))


def is_one_of(value: Any, words: Iterable[Any]) -> bool:
    """Return whether a value is one of some words, which a list or a mapping never is."""
    return not isinstance(value, (list, dict)) and value in tuple(words)


def is_integer(value: Any) -> bool:
    """Return whether `int` accepts a value."""
    try:
        int(value)
    except (ValueError, TypeError):
        return False
    return True


def is_mac(value: Any) -> bool:
    """Return whether a value is a hardware address."""
    return isinstance(value, str) and _MAC.fullmatch(value) is not None


def is_address(value: Any, *, version: int) -> bool:
    """Return whether a value is an address of this IP version, with or without a prefix."""
    if not isinstance(value, str):
        return False
    address, slash, prefix = value.rpartition("/") if "/" in value else (value, "", "")
    bits = 32 if version == 4 else 128  # noqa: PLR2004 (the two versions of IP)
    try:
        # Parsed as the socket library does, which accepts no zones.
        socket.inet_pton(socket.AF_INET if bits == 32 else socket.AF_INET6, address)  # noqa: PLR2004
        return not slash or 1 <= int(prefix) <= bits
    except (OSError, ValueError):
        return False


def is_netmask(value: Any) -> bool:
    """Return whether a value is a netmask in dotted notation."""
    if not isinstance(value, str):
        return False
    try:
        ipaddress.IPv4Network(f"0.0.0.0/{value}")
    except ValueError:
        return False
    return True


def arp_targets(iface: str, given: Mapping[str, Any]) -> str:
    """Return the addresses that a bond monitors with ARP, separated by commas.

    Raises:
        StateFailedError: the value is not a list of 1 to 16 addresses.
    """
    targets = given.get("arp_ip_target")
    if not is_list(targets) or not 1 <= len(targets) <= _ARP_TARGETS_MAX:
        raise invalid(iface, "arp_ip_target", ["list of ips (up to 16)"])
    return ",".join(map(str, targets))


def routes_of(iface: str, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the routes in the settings.

    Raises:
        StateFailedError: there are none.
    """
    routes = {word.lower(): value for word, value in settings.items()}.get("routes")
    if not is_list(routes):
        raise StateFailedError(
            f"Invalid option -- Route interface: {iface}, Option: routes, Expected: [List of routes]"
        )
    return routes
