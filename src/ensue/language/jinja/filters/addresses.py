"""Filters over IP addresses and networks.

Source: Salt's `network` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

import ipaddress
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from ensue.language.jinja.filters.kinds import is_mapping, is_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NATURES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("link-local", "linklocal", "ll", "link_local"), "is_link_local"),
    **dict.fromkeys(("loopback", "lo"), "is_loopback"),
    **dict.fromkeys(("site-local", "sl", "site_local"), "is_site_local"),
    "multicast": "is_multicast",
    "private": "is_private",
    "reserved": "is_reserved",
    "unspecified": "is_unspecified",
}
_PUBLIC: Final = ("global", "public")
_VERSIONS: Final = (4, 6)


def ipaddr(value: Any, options: str | None = None) -> Any:
    """Return the addresses in a list, version 4 first; for one text, the address or None.

    Args:
        value: an address, optionally with a prefix (`10.0.0.1/8`), or a list.
        options: the required kinds, separated by commas: `private`, `public`, `loopback`, `link-local`,
            `site-local`, `multicast`, `reserved`, `unspecified`. Other words have no effect.
    """
    if _is_several(value):
        listed = list(value)
        return [*_of_version(listed, 4, options), *_of_version(listed, 6, options)]
    return next((address for version in _VERSIONS if (address := _filtered(value, version, options))), None)


def ipv4(value: Any, options: str | None = None) -> Any:
    """Return the addresses of version 4 in a list; for one text, the address or None."""
    return _filtered(value, 4, options)


def ipv6(value: Any, options: str | None = None) -> Any:
    """Return the addresses of version 6 in a list; for one text, the address or None."""
    return _filtered(value, 6, options)


def is_ip(value: Any, options: str | None = None) -> bool:
    """Return whether a value is an address, optionally with a prefix."""
    return any(_address(value, version, options) is not None for version in _VERSIONS)


def is_ipv4(value: Any, options: str | None = None) -> bool:
    """Return whether a value is an address of version 4, optionally with a prefix."""
    return _address(value, 4, options) is not None


def is_ipv6(value: Any, options: str | None = None) -> bool:
    """Return whether a value is an address of version 6, optionally with a prefix."""
    return _address(value, 6, options) is not None


def ip_host(value: Any, options: str | None = None, version: int | None = None) -> Any:
    """Return addresses with their prefix: `10.0.0.1/8`, `10.0.0.1/32`."""
    return _each(value, options, version, lambda text: str(ipaddress.ip_interface(text)))


def network_hosts(value: Any, options: str | None = None, version: int | None = None) -> Any:
    """Return the host addresses of a network."""
    return _each(value, options, version, lambda text: [str(host) for host in _network(text).hosts()])


def network_size(value: Any, options: str | None = None, version: int | None = None) -> Any:
    """Return how many addresses a network has."""
    return _each(value, options, version, lambda text: _network(text).num_addresses)


def filter_by_networks(values: Any, networks: Iterable[str] | None) -> Any:
    """Return the addresses that are in one of some networks; for a mapping, per key.

    Raises:
        TypeError: they are neither a list nor a mapping.
    """
    if networks is None:
        return values
    known = [ipaddress.ip_network(network) for network in networks]
    if is_mapping(values):
        return {key: _within(addresses, known) for key, addresses in values.items()}
    if is_row(values):
        return _within(values, known)
    raise TypeError(f"filter_by_networks takes a list or a mapping, and was given a {type(values).__name__}")


def ipwrap(value: Any) -> Any:
    """Return addresses of version 6 in brackets, as URLs require, and anything else unchanged."""
    return [_wrapped(item) for item in value] if is_row(value) else _wrapped(value)


def _address(value: Any, version: int, options: str | None) -> str | None:
    try:
        address = _read(value)
    except ValueError:
        return None
    words = map(str.strip, (options or "").split(","))
    return str(address) if address.version == version and all(_has(address, word) for word in words) else None


def _has(address: Address, nature: str) -> bool:
    """Return whether an address is of the kind an option requires; true for an unknown option."""
    if nature in _PUBLIC:
        return not address.is_private
    # Version 4 has no site-local addresses.
    return nature not in _NATURES or getattr(address, _NATURES[nature], False)


def _read(value: Any) -> Address:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return ipaddress.ip_interface(value)


def _filtered(value: Any, version: int, options: str | None) -> Any:
    if _is_several(value):
        return _of_version(value, version, options)
    return _address(value, version, options) if isinstance(value, (str, bytes)) else None


def _of_version(values: Iterable[Any], version: int, options: str | None) -> list[str]:
    return [address for value in values if (address := _address(value, version, options)) is not None]


def _each(value: Any, options: str | None, version: int | None, make: Callable[[str], Any]) -> Any:
    addresses = _filtered(value, version, options) if version in _VERSIONS else ipaddr(value, options)
    if not addresses:
        return None
    return [make(address) for address in addresses] if _is_several(value) else make(addresses)


def _is_several(value: Any) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, (list, tuple, GeneratorType))


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(text, strict=False)


def _within(
    addresses: Iterable[str], networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network]
) -> list[str]:
    return [
        address for address in addresses for network in networks if ipaddress.ip_address(address) in network
    ]


def _wrapped(value: Any) -> Any:
    address = _address(value, 6, None)
    return value if address is None else f"[{ipaddress.ip_address(address)}]"


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "filter_by_networks": filter_by_networks,
    "ip_host": ip_host,
    "ipaddr": ipaddr,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "ipwrap": ipwrap,
    "is_ip": is_ip,
    "is_ipv4": is_ipv4,
    "is_ipv6": is_ipv6,
    "network_hosts": network_hosts,
    "network_size": network_size,
}
"""Filters by the name that templates use."""
