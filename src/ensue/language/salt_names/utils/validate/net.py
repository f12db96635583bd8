"""`salt.utils.validate.net`: validation of addresses."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from ensue.language.salt_names.absent import not_there


def mac(addr: str) -> bool:
    """Return whether a text is a MAC address."""
    return re.fullmatch(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}", addr) is not None


def ipv4_addr(addr: Any) -> bool:
    """Return whether a text is an IPv4 address, with or without a prefix length."""
    return _is_a(ipaddress.IPv4Interface, addr)


def ipv6_addr(addr: Any) -> bool:
    """Return whether a text is an IPv6 address, with or without a prefix length."""
    return _is_a(ipaddress.IPv6Interface, addr)


def ip_addr(addr: Any) -> bool:
    """Return whether a text is an IP address, with or without a prefix length."""
    return ipv4_addr(addr) or ipv6_addr(addr)


def netmask(mask: Any) -> bool:
    """Return whether a text is an IPv4 netmask."""
    return "/" not in str(mask) and _is_a(ipaddress.IPv4Network, f"0.0.0.0/{mask}")


def _is_a(kind: Any, text: Any) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


__getattr__ = not_there(__name__)
