"""Computes with addresses and networks, without asking the target.

Source: Salt's execution module `network`, 3008: names and return values.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


def ip_in_subnet(ctx: FunctionContext, ip_addr: str, cidr: str) -> bool:
    """Return whether an address is in a network.

    Args:
        ip_addr: the address.
        cidr: the network (`10.0.0.0/8`).

    Example:
        ensue call '*' network.ip_in_subnet 10.1.2.3 10.0.0.0/8
    """
    return is_in_network(ip_addr, cidr)


def is_private(ctx: FunctionContext, ip_addr: str) -> bool:
    """Return whether an address is private.

    Args:
        ip_addr: the address.

    Example:
        ensue call '*' network.is_private 10.1.2.3
    """
    return ipaddress.ip_address(ip_addr).is_private


def is_loopback(ctx: FunctionContext, ip_addr: str) -> bool:
    """Return whether an address is a loopback address.

    Args:
        ip_addr: the address.

    Example:
        ensue call '*' network.is_loopback 127.0.0.1
    """
    return ipaddress.ip_address(ip_addr).is_loopback


def convert_cidr(ctx: FunctionContext, cidr: str) -> dict[str, str | None]:
    """Return `network`, `netmask` and `broadcast` of a network.

    Args:
        cidr: the network (`10.0.0.0/8`).

    Example:
        ensue call '*' network.convert_cidr 172.16.0.0/12
    """
    network = ipaddress.ip_network(cidr, strict=False)
    broadcast = str(network.broadcast_address)
    return {"network": str(network.network_address), "netmask": str(network.netmask), "broadcast": broadcast}


def calc_net(ctx: FunctionContext, ip_addr: str, netmask: str | int | None = None) -> str:
    """Return the network of an address, in CIDR notation.

    Args:
        ip_addr: the address, with or without a prefix length.
        netmask: its netmask or prefix length.

    Example:
        ensue call '*' network.calc_net 10.1.2.3 255.255.255.0
    """
    address = ip_addr if netmask is None else f"{ip_addr}/{netmask}"
    return str(ipaddress.ip_network(address, strict=False))


def reverse_ip(ctx: FunctionContext, ip_addr: str) -> str:
    """Return the name of an address for a reverse DNS lookup (`4.3.2.1.in-addr.arpa`).

    Args:
        ip_addr: the address.

    Example:
        ensue call '*' network.reverse_ip 10.1.2.3
    """
    return ipaddress.ip_address(ip_addr).reverse_pointer


def is_in_network(address: str, cidr: str) -> bool:
    return ipaddress.ip_address(address) in ipaddress.ip_network(cidr, strict=False)
