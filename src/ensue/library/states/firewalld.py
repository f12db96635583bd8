"""State module `firewalld`: zones and services of firewalld.

The functions compare and change the permanent configuration, and reload firewalld after a change.

Source: Salt's state module `firewalld`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_FORWARD_KEYS: Final = ("Source port", "Destination port", "Protocol", "Destination address")
_PARTS: Final = len(_FORWARD_KEYS)
_ASSIGNMENT: Final = re.compile(r"""(?<=\s)([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))""")


class _List(msgspec.Struct, kw_only=True, frozen=True):
    """A list of a zone: its key in `changes`, and the functions that read and change it."""

    key: str
    read: str
    add: str
    remove: str


_LISTS: Final = {
    "block_icmp": _List(key="icmp_types", read="list_icmp_block", add="block_icmp", remove="allow_icmp"),
    "ports": _List(key="ports", read="list_ports", add="add_port", remove="remove_port"),
    "port_fwd": _List(key="port_fwd", read="list_port_fwd", add="add_port_fwd", remove="remove_port_fwd"),
    "services": _List(key="services", read="list_services", add="add_service", remove="remove_service"),
    "interfaces": _List(
        key="interfaces", read="get_interfaces", add="add_interface", remove="remove_interface"
    ),
    "sources": _List(key="sources", read="get_sources", add="add_source", remove="remove_source"),
    "rich_rules": _List(
        key="rich_rules", read="get_rich_rules", add="add_rich_rule", remove="remove_rich_rule"
    ),
}


async def present(
    ctx: StateContext,
    name: str,
    *,
    block_icmp: list[str] | None = None,
    prune_block_icmp: bool = False,
    default: bool | None = None,
    masquerade: bool | None = None,
    ports: list[str] | None = None,
    prune_ports: bool = False,
    port_fwd: list[str] | None = None,
    prune_port_fwd: bool = False,
    services: list[str] | None = None,
    prune_services: bool = False,
    interfaces: list[str] | None = None,
    prune_interfaces: bool = False,
    sources: list[str] | None = None,
    prune_sources: bool = False,
    rich_rules: list[str] | None = None,
    prune_rich_rules: bool = False,
) -> StateReturn:
    """Create a zone, and set what it allows.

    Args:
        name: the zone.
        block_icmp: types of ICMP messages to block.
        prune_block_icmp: remove all others from the list, as every `prune_…`.
        default: make it the default zone.
        masquerade: whether to enable masquerading.
        ports: ports to allow (`80/tcp`).
        prune_ports: remove all others.
        port_fwd: ports to forward (`22:2222:tcp`, `22:2222:tcp:10.0.0.1`).
        prune_port_fwd: remove all others.
        services: services to allow.
        prune_services: remove all others.
        interfaces: interfaces of the zone.
        prune_interfaces: remove all others.
        sources: source addresses of the zone.
        prune_sources: remove all others.
        rich_rules: rules in the rich language of firewalld.
        prune_rich_rules: remove all others.

    Example:
        public:
          firewalld.present:
            - services: [http, https]
            - ports: [8080/tcp]
            - masquerade: true

    Returns:
        `changes` has `old` and `new` by setting; `new_state` has `name`, and the settings that the SLS names.

    Raises:
        StateFailedError: firewalld does not run, or reports an error.
    """
    lists = {
        "block_icmp": (block_icmp, prune_block_icmp), "ports": (ports, prune_ports),
        "port_fwd": (port_fwd, prune_port_fwd), "services": (services, prune_services),
        "interfaces": (interfaces, prune_interfaces), "sources": (sources, prune_sources),
        "rich_rules": (rich_rules, prune_rich_rules),
    }  # fmt: skip
    requested = {
        word: (_read(word, given or []), is_pruned)
        for word, (given, is_pruned) in lists.items()
        if given or is_pruned
    }
    try:
        zones: list[str] = await ctx.call("firewalld.get_zones")
    except StateFailedError as error:
        return _not_running(ctx, name, error)
    changes: DataMap = {}
    new_state: DataMap = {"name": name}
    warnings: list[str] = []
    is_new = name not in zones
    if is_new:
        changes[name] = {"old": [*zones], "new": name}
        if not ctx.test:
            await ctx.call("firewalld.new_zone", name)
    if "block_icmp" in requested:
        warnings += await _without_unknown_icmp(ctx, requested)
    if default and (before := await ctx.call("firewalld.default_zone")) != name:
        changes["default"] = {"old": before, "new": name}
        if not ctx.test:
            await ctx.call("firewalld.set_default_zone", name)
    if masquerade is not None:
        changes |= await _masqueraded(ctx, name, masquerade=masquerade, is_new=is_new)
        new_state["masquerade"] = masquerade
    for word, (items, is_pruned) in requested.items():
        about = _LISTS[word]
        now = await _settled(ctx, name, about, items, is_pruned=is_pruned, is_new=is_new)
        new_state[about.key] = _shown(about, now["new"])
        if now["old"] != now["new"]:
            changes[about.key] = {key: _shown(about, value) for key, value in now.items()}
    return await _ended(ctx, name, changes, new_state, warnings)


async def service(
    ctx: StateContext, name: str, ports: list[str] | None = None, protocols: list[str] | None = None
) -> StateReturn:
    """Create or change a service that zones can allow.

    Args:
        name: the service.
        ports: all of its ports (`80/tcp`).
        protocols: all of its protocols.

    Example:
        shop:
          firewalld.service:
            - ports: [8080/tcp]

    Returns:
        `changes` has `ports` and `protocols`, each with `old` and `new`; `new_state` has
        `name ports protocols`.

    Raises:
        StateFailedError: firewalld does not run, or reports an error.
    """
    try:
        is_there = name in await ctx.call("firewalld.get_services")
    except StateFailedError as error:
        return _not_running(ctx, name, error)
    changes: DataMap = {}
    if not is_there and not ctx.test:
        await ctx.call("firewalld.new_service", name, restart=False)
    new_state: DataMap = {"name": name}
    for what, given in (("port", ports), ("protocol", protocols)):
        requested = [str(each) for each in given or []]
        # In a plan, a service that does not exist yet has no settings to read.
        known = is_there or not ctx.test
        current: list[str] = await ctx.call(f"firewalld.get_service_{what}s", name) if known else []
        new_state[f"{what}s"] = [*requested]
        if set(requested) == set(current):
            continue
        changes[f"{what}s"] = {"old": [*current], "new": [*requested]}
        for verb, items in (("add", requested), ("remove", current)):
            others = current if verb == "add" else requested
            for each in items if not ctx.test else ():
                if each not in others:
                    await ctx.call(f"firewalld.{verb}_service_{what}", name, each)
    if not is_there and not changes:
        changes["service"] = {"old": None, "new": name}
    return await _ended(ctx, name, changes, new_state, [])


async def _ended(
    ctx: StateContext, name: str, changes: DataMap, new_state: DataMap, warnings: Sequence[str]
) -> StateReturn:
    if not changes:
        comment = f"'{name}' is already in the desired state."
        return StateReturn.unchanged(name, comment, new_state, warnings=tuple(warnings))
    if ctx.test:
        comment = f"Configuration for '{name}' will change."
        return StateReturn.planned(name, comment, changes, warnings=tuple(warnings))
    await ctx.call("firewalld.reload_rules")
    comment = f"'{name}' was configured."
    return StateReturn.changed(name, comment, changes, new_state, warnings=tuple(warnings))


async def _settled(
    ctx: StateContext, zone: str, about: _List, requested: list[str], *, is_pruned: bool, is_new: bool
) -> dict[str, list[str]]:
    """Change a list of a zone to the requested one, and return the old and the new list."""
    is_planned = ctx.test and is_new
    current: list[str] = [] if is_planned else _listed(await ctx.call(f"firewalld.{about.read}", zone))
    coming = [each for each in requested if each not in current]
    going = [each for each in current if each not in requested] if is_pruned else []
    for function, items in ((about.add, coming), (about.remove, going)):
        for each in items if not ctx.test else ():
            await ctx.call(f"firewalld.{function}", *_words(about, zone, each))
    return {"old": current, "new": [each for each in (*current, *coming) if each not in going]}


def _words(about: _List, zone: str, item: str) -> list[str]:
    if about.key == "services":
        return [item, zone]
    return [zone, *item.split(":", 3)] if about.key == "port_fwd" else [zone, item]


def _listed(items: Sequence[Any]) -> list[str]:
    """Return a list of firewalld as texts; forwarded ports have the form `from:to:protocol:address`."""
    return [":".join(each[key] for key in _FORWARD_KEYS) if is_mapping(each) else str(each) for each in items]


def _read(word: str, given: Sequence[Any]) -> list[str]:
    items = [str(each) for each in given]
    if word == "rich_rules":
        return [_rule(each) for each in items]
    if word != "port_fwd":
        return items
    for each in items:
        if each.count(":") not in {_PARTS - 2, _PARTS - 1}:
            raise StateFailedError(
                f"port_fwd: write `from:to:protocol` or `from:to:protocol:address`, not `{each}`"
            )
    return [each if each.count(":") == _PARTS - 1 else f"{each}:" for each in items]


def _rule(rule: str) -> str:
    """Return a rich rule in the form of firewalld, with values in double quotes."""
    return _ASSIGNMENT.sub(lambda match: f'{match[1]}="{next(filter(None, match.groups()[1:]), "")}"', rule)


def _shown(about: _List, items: Sequence[str]) -> list[Data]:
    if about.key != "port_fwd":
        return [*items]
    return [dict(zip(_FORWARD_KEYS, each.split(":", _PARTS - 1), strict=True)) for each in items]


async def _masqueraded(ctx: StateContext, zone: str, *, masquerade: bool, is_new: bool) -> DataMap:
    before = False if ctx.test and is_new else await ctx.call("firewalld.get_masquerade", zone)
    if before == masquerade:
        return {}
    if not ctx.test:
        await ctx.call(f"firewalld.{'add' if masquerade else 'remove'}_masquerade", zone)
    what = "set" if masquerade else "disabled"
    return {"masquerade": {"old": before, "new": f"Masquerading successfully {what}."}}


async def _without_unknown_icmp(ctx: StateContext, requested: dict[str, tuple[list[str], bool]]) -> list[str]:
    """Leave out ICMP types that firewalld does not know, as Salt does, and return a comment."""
    items, is_pruned = requested["block_icmp"]
    known: list[str] = await ctx.call("firewalld.get_icmp_types")
    requested["block_icmp"] = ([each for each in items if each in known], is_pruned)
    return [f"{each} is an invalid ICMP type" for each in items if each not in known]


def _not_running(ctx: StateContext, name: str, error: StateFailedError) -> StateReturn:
    # In a plan, an earlier state may be about to install or start firewalld.
    return StateReturn(name=name, result=None if ctx.test else False, comment=f"Error: {error}")


FUNCTIONS: Final = by_name(present, service, make_only=("paths",))
