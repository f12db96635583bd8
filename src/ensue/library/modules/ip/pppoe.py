"""The file of `/etc/ppp/peers` for a connection over PPPoE.

Source: Salt's execution module `debian_ip`, 3008: its lines and defaults; pppd(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def peer_file(options: Mapping[str, Any]) -> str:
    """Return the text of the file, empty without a user.

    Args:
        options: the options of the connection.
    """
    if not options.get("user"):
        return ""
    password = f"password {options['password']} " if options.get("password") else ""
    lines = [
        f"user {options['user']}", password, f"plugin rp-pppoe.so {options.get('pppoe_iface', 'eth0')}", "",
        _switch(options, "noipdefault"), _switch(options, "usepeerdns", end=" "),
        _switch(options, "defaultroute"), "", _number(options, "holdoff", "15"),
        _number(options, "maxfail", "0"), "", _switch(options, "hide-password"),
        _number(options, "lcp-echo-interval", "20", end=" "),
        _number(options, "lcp-echo-failure", "3", end=" "), "", _switch(options, "noauth"),
        _switch(options, "persist"), _number(options, "mtu", "1492", end=" "), _switch(options, "noaccomp"),
        "",
    ]  # fmt: skip
    lines += ["", f"linkname {options['linkname']}"] if "linkname" in options else []
    return "".join(f"{line}\n" for line in [*lines, ""])


def _switch(options: Mapping[str, Any], option: str, *, end: str = "") -> str:
    return "" if options.get(option) == "False" else f"{option}{end}"


def _number(options: Mapping[str, Any], option: str, default: str, *, end: str = "") -> str:
    value = options.get(option, default)
    return "" if value == "" else f"{option} {value}{end}"
