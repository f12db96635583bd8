"""Ports: the types that the SELinux policy assigns to ports.

Args:
    name: `tcp/8080`, `udp/8000-8010`, or any name if `protocol` and `port` are given.
    protocol: the protocol.
    port: the port, or a range.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_NAME: Final = re.compile(r"(tcp|udp|dccp|sctp)/(\d+(?:-\d+)?)\Z")
_ENTRY: Final = re.compile(r"^(\w+)\s+(tcp|udp|dccp|sctp)\s+([\d\-, ]+)$", re.MULTILINE)


async def port_get_policy(
    ctx: FunctionContext,
    name: str,
    sel_type: str | None = None,
    protocol: str | None = None,
    port: str | int | None = None,
) -> dict[str, str] | None:
    """Return the policy's entry for a port.

    Args:
        sel_type: only an entry with this type.

    Example:
        ensue call '*' selinux.port_get_policy tcp/8080

    Returns:
        `sel_type`, `protocol` and `port` (all ports of the entry); None if there is no entry.

    Raises:
        StateFailedError: no port is given, or the target has no semanage.
    """
    wanted_protocol, ports_meant = _parsed(name, protocol, port)
    answer = await must(ctx, "semanage", "port", "--list", what="list the SELinux ports")
    for match in _ENTRY.finditer(answer.stdout):
        ports = [each.strip() for each in match[3].split(",")]
        if match[2] == wanted_protocol and ports_meant in ports and sel_type in {None, "", match[1]}:
            return {"sel_type": match[1], "protocol": match[2], "port": match[3].strip()}
    return None


async def port_add_policy(
    ctx: FunctionContext,
    name: str,
    sel_type: str | None = None,
    protocol: str | None = None,
    port: str | int | None = None,
    sel_range: str | None = None,
) -> DataMap:
    """Assign a type to a port; returns `retcode`, `stdout` and `stderr`.

    Args:
        sel_type: the type of the entry.
        sel_range: the level or range of the entry.

    Example:
        ensue call '*' selinux.port_add_policy '/srv/www(/.*)?'

    Raises:
        StateFailedError: no port or no type is given.
    """
    if not sel_type:
        raise StateFailedError("SELinux Type is required to add a policy")
    return await _manage(ctx, "--add", _parsed(name, protocol, port), sel_type, sel_range)


async def port_modify_policy(
    ctx: FunctionContext,
    name: str,
    sel_type: str | None = None,
    protocol: str | None = None,
    port: str | int | None = None,
    sel_range: str | None = None,
) -> DataMap:
    """Change the type of a port; returns `retcode`, `stdout` and `stderr`.

    Args:
        sel_type: the type of the entry.
        sel_range: the level or range of the entry.

    Example:
        ensue call '*' selinux.port_modify_policy '/srv/www(/.*)?'
    """
    return await _manage(ctx, "--modify", _parsed(name, protocol, port), sel_type, sel_range)


async def port_delete_policy(
    ctx: FunctionContext, name: str, protocol: str | None = None, port: str | int | None = None
) -> DataMap:
    """Remove the type of a port; returns `retcode`, `stdout` and `stderr`.

    Example:
        ensue call '*' selinux.port_delete_policy tcp/8080
    """
    return await _manage(ctx, "--delete", _parsed(name, protocol, port), None, None)


def _parsed(name: str, protocol: str | None, port: str | int | None) -> tuple[str, str]:
    match = _NAME.match(name) or _NAME.match(f"{protocol}/{port}")
    if match is None:
        raise StateFailedError(
            f'Invalid name "{name}" format and protocol and port not provided or invalid: '
            f'"{protocol}" "{port}"; write it as tcp/8080'
        )
    return match[1], match[2]


async def _manage(
    ctx: FunctionContext, action: str, port: tuple[str, str], sel_type: str | None, sel_range: str | None
) -> DataMap:
    given = (("--type", sel_type), ("--range", sel_range))
    options = [word for flag, value in given if value for word in (flag, value)]
    answer = await ask(ctx, "semanage", "port", action, "--proto", port[0], *options, port[1])
    return {"retcode": answer.returncode, "stdout": answer.stdout, "stderr": answer.stderr}


OFFERED: Final = by_name(port_add_policy, port_delete_policy, port_get_policy, port_modify_policy)
