"""`salt.utils.network`: addresses; this machine's come from the execution module `network`."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.running import execution_function


def ip_addrs(interface: str | None = None, include_loopback: bool = False, **kwargs: Any) -> Any:
    """Return this machine's IPv4 addresses, as the execution function `network.ip_addrs` does."""
    return execution_function("network.ip_addrs")(
        interface=interface, include_loopback=include_loopback, **kwargs
    )


def ip_addrs6(interface: str | None = None, include_loopback: bool = False, **kwargs: Any) -> Any:
    """Return this machine's IPv6 addresses, as the execution function `network.ip_addrs6` does."""
    return execution_function("network.ip_addrs6")(
        interface=interface, include_loopback=include_loopback, **kwargs
    )


def interfaces() -> Any:
    """Return this machine's network interfaces, as the execution function `network.interfaces` does."""
    return execution_function("network.interfaces")()


def in_subnet(cidr: str, addr: Any = None) -> bool:
    """Return whether an address, or any of a list, is in a network; None for this machine's addresses."""
    network = ipaddress.ip_network(cidr, strict=False)
    asked = ip_addrs() if addr is None else [addr] if isinstance(addr, str) else addr
    return any(ipaddress.ip_address(address) in network for address in asked)


def host_to_ips(host: str) -> list[str] | None:
    """Return the addresses of a host name, None if it has none."""
    try:
        entries = socket.getaddrinfo(host, 0, socket.AF_UNSPEC, socket.SOCK_STREAM)
    except OSError:
        return None
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries)) or None


def get_fqhostname() -> str:
    """Return the fully qualified host name of this machine."""
    return socket.getfqdn()


def is_ip(ip: Any) -> bool:
    """Return whether a text is an IP address."""
    return is_ipv4(ip) or is_ipv6(ip)


def is_ipv4(ip: Any) -> bool:
    """Return whether a text is an IPv4 address."""
    return _is_a(ipaddress.IPv4Address, ip)


def is_ipv6(ip: Any) -> bool:
    """Return whether a text is an IPv6 address."""
    return _is_a(ipaddress.IPv6Address, ip)


def calc_net(ip_addr: str, netmask: str | None = None) -> str:
    """Return the network of an address."""
    whole = f"{ip_addr}/{netmask}" if netmask is not None else ip_addr
    return str(ipaddress.ip_network(whole, strict=False))


def _is_a(kind: Any, text: Any) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


__getattr__ = not_there(__name__)
