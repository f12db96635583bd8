"""State module `host`: addresses and names in the target's /etc/hosts.

Differences from Salt:
    `/etc/hosts` keeps the lines that a change does not concern; Salt rewrites the whole file.

Source: Salt's state module `host`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


async def present(
    ctx: StateContext, name: str, ip: str | list[str], comment: str = "", clean: bool = False
) -> StateReturn:
    """Assign a host name to addresses.

    Args:
        name: the host name.
        ip: the address, or a list of addresses.
        comment: comment at the end of each line.
        clean: remove the host name from all other addresses.

    Example:
        db.internal:
          host.present:
            - ip: 10.0.0.5

    Returns:
        `changes` has `added`, `removed` and `comment_added`, each `{address: [text]}`; `new_state` has
        `name` and `ip`, a list.

    Raises:
        StateFailedError: an address is missing or invalid.
    """
    declared = _addresses(ip)
    hosts: DataMap = await ctx.call("hosts.list_hosts")
    added = [each for each in declared if name not in _aliases(hosts, each)]
    others = [each for each in hosts if name in _aliases(hosts, each) and each not in declared]
    removed = others if clean else []
    remarked = [each for each in declared if comment and _comment(hosts, each) != comment]
    changes: DataMap = {}
    for key, addresses, text in (
        ("added", added, name), ("removed", removed, name), ("comment_added", remarked, comment),
    ):  # fmt: skip
        if addresses:
            changes[key] = {each: [text] for each in addresses}
    warnings = () if clean else tuple(_other(name, each) for each in others)
    if not ctx.test:
        for each in added:
            await ctx.call("hosts.add_host", each, name)
        for each in removed:
            await ctx.call("hosts.rm_host", each, name)
        for each in remarked:
            await ctx.call("hosts.set_comment", each, comment)
    words = (
        (
            "Host {} ({}) would be added",
            "Host {} ({}) would be removed",
            "Comment for {1} ({0}) would be added",
        )
        if ctx.test
        else ("Added host {} ({})", "Removed host {} ({})", "Set comment for host {1} ({0})")
    )
    lines = [words[0].format(name, each) for each in added]
    lines += [f"Host {name} ({each}) already present" for each in declared if each not in added]
    lines += [words[1].format(name, each) for each in removed]
    lines += [words[2].format(comment, each) for each in remarked]
    if ctx.test and changes:
        return StateReturn.planned(name, "\n".join(lines), changes, warnings=warnings)
    new_state: DataMap = {"name": name, "ip": [*declared]}
    old_state = _carried(hosts, name) if changes else None
    return StateReturn.changed(
        name, "\n".join(lines), changes, new_state, old_state=old_state, warnings=warnings
    )


async def absent(ctx: StateContext, name: str, ip: str | list[str]) -> StateReturn:
    """Remove a host name from addresses.

    Args:
        name: the host name.
        ip: the address, or a list of addresses.

    Example:
        db.internal:
          host.absent:
            - ip: 10.0.0.5

    Returns:
        `changes` has `host`, the name; `new_state` has `name ip exists`.

    Raises:
        StateFailedError: an address is missing or invalid.
    """
    addresses = _addresses(ip)
    hosts: DataMap = await ctx.call("hosts.list_hosts")
    aliased = [each for each in addresses if name in _aliases(hosts, each)]
    text = "Host {} ({}) needs to be removed" if ctx.test else "Removed host {} ({})"
    lines = [
        text.format(name, each) if each in aliased else f"Host {name} ({each}) already absent"
        for each in addresses
    ]
    new_state: DataMap = {"name": name, "ip": [*addresses], "exists": False}
    if not aliased:
        return StateReturn.unchanged(name, "\n".join(lines), new_state)
    if ctx.test:
        return StateReturn.planned(name, "\n".join(lines), {"host": name})
    for each in aliased:
        await ctx.call("hosts.rm_host", each, name)
    return StateReturn.changed(
        name, "\n".join(lines), {"host": name}, new_state, old_state=_carried(hosts, name)
    )


async def only(ctx: StateContext, name: str, hostnames: str | list[str]) -> StateReturn:
    """Set the complete list of host names of an address.

    Args:
        name: the address.
        hostnames: the host names; an empty list removes the address.

    Example:
        10.0.0.5:
          host.only:
            - hostnames: [db.internal, db]

    Returns:
        `changes` has the address, with `old` and `new`; `new_state` has `ip` and `hostnames`, a list.

    Raises:
        StateFailedError: the address is invalid.
    """
    (address,) = _addresses(name)
    names = hostnames.split() if isinstance(hostnames, str) else [str(each) for each in hostnames]
    before: list[Data] = await ctx.call("hosts.get_alias", address)
    old = " ".join(map(str, before))
    new = " ".join(names)
    new_state: DataMap = {"ip": address, "hostnames": [*names]}
    if old == new:
        return StateReturn.unchanged(name, f'IP address {address} already set to "{new}"', new_state)
    if ctx.test:
        return StateReturn.planned(name, f'Would change {address} from "{old}" to "{new}"')
    await ctx.call("hosts.set_host", address, names)
    return StateReturn.changed(
        name,
        f'successfully changed {address} from "{old}" to "{new}"',
        {address: {"old": old, "new": new}},
        new_state,
        old_state={"ip": address, "hostnames": before},
    )


def _addresses(ip: object) -> list[str]:
    import ipaddress

    given = [str(each) for each in ip] if isinstance(ip, list) else [str(ip)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # a user's list
    for each in given:
        try:
            ipaddress.ip_address(each)
        except ValueError:
            raise StateFailedError(f"{each!r} is not an IP address") from None
    if not given:
        raise StateFailedError("ip: no address is given")
    return list(dict.fromkeys(given))


def _aliases(hosts: DataMap, ip: str) -> list[Any]:
    entry = hosts.get(ip)
    aliased = entry["aliases"] if isinstance(entry, dict) else None
    return [*aliased] if isinstance(aliased, list) else []


def _carried(hosts: DataMap, name: str) -> DataMap:
    """Describe the addresses that had a host name."""
    return {"name": name, "ip": [each for each in hosts if name in _aliases(hosts, each)]}


def _comment(hosts: DataMap, ip: str) -> object:
    entry = hosts.get(ip)
    return entry.get("comment", "") if isinstance(entry, dict) else ""


def _other(name: str, ip: str) -> str:
    return (
        f"Host {name} present for IP address {ip}. To get rid of this warning, either run this state with "
        f"'clean' set to True to remove {name} from {ip}, or add {ip} to the 'ip' argument."
    )


FUNCTIONS: Final = by_name(absent, only, present, make_only=("name",))
