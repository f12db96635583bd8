"""`network.managed`: the configuration of an interface.

Source: Salt's state module `network`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states.network.lines import difference, planned
from ensue.library.states.network.words import OF_INTERFACE

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_DRIVEN_BY_OTHERS: Final = frozenset({"slave", "teamport"})
_BRINGS_UP: Final = ["ifup", "/usr/sbin/ifup", "/sbin/ifup"]
"""PATH of a login user may lack the folders of system programs."""

_SECRETS: Final = ("wpa-psk", "password")


class _RequestedInterface(msgspec.Struct, frozen=True, kw_only=True):
    """The requested interface.

    Args:
        name: the interface.
        kind: its type.
        is_enabled: whether it is up, now and after boot.
        settings: the other settings.
    """

    name: str
    kind: str
    is_enabled: bool
    settings: dict[str, Any]

    def new_state(self) -> DataMap:
        return {"name": self.name, "type": self.kind, "enabled": self.is_enabled}


@also_takes(*OF_INTERFACE)
async def managed(
    ctx: StateContext,
    name: str,
    enabled: bool = True,
    type: str = "eth",  # noqa: A002 (Salt's argument)
    **kwargs: Any,
) -> StateReturn:
    """Configure an interface, and bring it up or down.

    Args:
        name: the interface.
        enabled: bring it up, now and at boot.
        type: `eth bond bridge slave vlan pppoe source`, on Red Hat's family also `team teamport ipip ib
            alias`.
        **kwargs: settings, as for `ip.build_interface`; with `noifupdown: true`, only files are written.

    Example:
        eth0:
          network.managed:
            - enabled: true
            - type: eth
            - proto: static
            - ipaddr: 10.0.0.10
            - netmask: 255.255.255.0
            - gateway: 10.0.0.1

    Returns:
        `changes` has `interface` and `bond` (a diff), `status` and `enslave`; `new_state` has
        `name type enabled`.

    Raises:
        StateFailedError: a setting is invalid, the target has no `ifup`, or a program fails.
    """
    warnings: list[str] = []
    settings = _with_hardware_address(kwargs, warnings)
    requested = _RequestedInterface(name=name, kind=str(type), is_enabled=bool(enabled), settings=settings)
    ctx.masker.add(*(str(settings[word]) for word in _SECRETS if settings.get(word)))
    is_left_alone = (
        "noifupdown" in settings or requested.kind == "source" or await ctx.call("service.offline")
    )
    is_driven_here = not is_left_alone and requested.kind not in _DRIVEN_BY_OTHERS
    changes, comment = await _described(ctx, requested, warnings, is_driven_here=is_driven_here)
    if requested.kind == "bond":
        comment = await _bond(ctx, requested, changes, comment)
    is_up = not is_left_alone and await _is_up(ctx, name)
    if is_up and (changes or not enabled):
        warnings.append(_about_interruption(requested))
    if ctx.test:
        return _plan(requested, changes, comment, warnings, is_left_alone=is_left_alone, is_up=is_up)
    if not is_left_alone:
        changes |= await _brought(ctx, requested, is_up=is_up, is_changed=bool(changes))
        changes |= (
            await _enslaved(ctx, requested) if requested.kind == "bond" and requested.is_enabled else {}
        )
    if changes:
        await ctx.grains_changed()
    return StateReturn.changed(name, comment, changes, requested.new_state(), warnings=tuple(warnings))


def _plan(
    requested: _RequestedInterface,
    changes: DataMap,
    comment: str,
    warnings: list[str],
    *,
    is_left_alone: bool,
    is_up: bool,
) -> StateReturn:
    is_moved = not is_left_alone and is_up != requested.is_enabled and requested.kind not in _DRIVEN_BY_OTHERS
    if is_moved and not changes:
        comment = f"Interface {requested.name} is set to be {'up' if requested.is_enabled else 'down'}."
    if changes or is_moved:
        return StateReturn.planned(requested.name, comment, warnings=tuple(warnings))
    return StateReturn.unchanged(requested.name, comment, requested.new_state())


def _with_hardware_address(given: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Return the settings with `hwaddr` for the old name `addr`."""
    settings = {word: value for word, value in given.items() if word != "addr"}
    if "addr" in given:
        remark = "its value has been assigned to 'hwaddr' instead."
        if "hwaddr" in given:
            remark = "it has been ignored in favor of 'hwaddr'."
        settings.setdefault("hwaddr", given["addr"])
        warnings.append(
            f"'addr' is not a valid argument name, {remark} Update your SLS file to get rid of this warning."
        )
    return settings


async def _described(
    ctx: StateContext, requested: _RequestedInterface, warnings: list[str], *, is_driven_here: bool
) -> tuple[DataMap, str]:
    """Write the file of the interface; return changes and a comment."""
    name, filename = requested.name, requested.settings.get("filename")
    arguments = (name, requested.kind, requested.is_enabled)
    new: list[str] = await ctx.call("ip.build_interface", *arguments, **{**requested.settings, "test": True})
    old: list[str] = await ctx.call("ip.get_interface", name, filename=filename)
    if requested.kind == "source":
        # The name is ignored, because all `source` lines are read together.
        lines: list[str] = await ctx.call("ip.get_interface", "source", filename=filename)
        old = new if {line for line in new if line.strip()} <= set(lines) else []
    differs = difference(old, new)
    if not differs:
        return {}, f"Interface {name} is up to date."
    if not filename and (lost := await ctx.call("ip.lost_lines")):
        warnings.append(
            f"/etc/network/interfaces is written without lines that ensue cannot read: {', '.join(lost)}"
        )
    changes: DataMap = {"interface": differs if old else "Added network interface."}
    if ctx.test:
        return changes, planned(f"Interface {name} is", old, new)
    if is_driven_here and not await ctx.call("cmd.which_bin", _BRINGS_UP):
        raise StateFailedError(
            f"there is no program ifup on {ctx.srn} to bring {name} up or down: install ifupdown (Debian's "
            "family), network-scripts or NetworkManager-initscripts-updown (Red Hat's family), or have its "
            "files written only: `noifupdown: true`"
        )
    await ctx.call("ip.build_interface", *arguments, **requested.settings)
    return changes, f"Interface {name} {'updated' if old else 'added'}."


async def _bond(ctx: StateContext, requested: _RequestedInterface, changes: DataMap, comment: str) -> str:
    """Write the options of a bond for the kernel module, as Debian does; return the comment."""
    if (await ctx.grains()).get("os_family") != "Debian":
        return comment
    old: list[str] = await ctx.call("ip.get_bond", requested.name)
    new: list[str] = await ctx.call("ip.build_bond", requested.name, **{**requested.settings, "test": True})
    if old == new:
        return comment
    changes["bond"] = difference(old, new) if old else f"Added bond {requested.name}."
    if ctx.test:
        return planned(f"Bond interface {requested.name} is", old, new)
    await ctx.call("ip.build_bond", requested.name, **requested.settings)
    return f"Bond interface {requested.name} {'updated' if old else 'added'}."


async def _is_up(ctx: StateContext, name: str) -> bool:
    try:
        there: dict[str, dict[str, Any]] = await ctx.call("network.interfaces")
    except StateFailedError:
        if not ctx.test:
            raise
        # In a plan, iproute2 may be missing: an earlier state may install it.
        return False
    if name in there:
        return bool(there[name].get("up"))
    return any(each.get("label") == name for about in there.values() for each in about.get("inet", ()))


def _about_interruption(requested: _RequestedInterface) -> str:
    what = "is taken down and brought up again" if requested.is_enabled else "is taken down"
    return (
        f"{requested.name} {what}: connections through it, including this run, are interrupted; "
        "with `noifupdown` only its files are written."
    )


async def _brought(
    ctx: StateContext, requested: _RequestedInterface, *, is_up: bool, is_changed: bool
) -> DataMap:
    """Bring the interface up or down; return the changes."""
    if requested.kind in _DRIVEN_BY_OTHERS or (is_up and requested.is_enabled and not is_changed):
        return {}
    if is_up and requested.is_enabled:
        await ctx.call("ip.restart", requested.name, requested.kind)
        return {"status": f"Interface {requested.name} restart to validate"}
    if requested.is_enabled:
        await ctx.call("ip.up", requested.name, requested.kind)
        return {"status": f"Interface {requested.name} is up"}
    if is_up:
        await ctx.call("ip.down", requested.name, requested.kind)
        return {"status": f"Interface {requested.name} down"}
    return {}


async def _enslaved(ctx: StateContext, requested: _RequestedInterface) -> DataMap:
    """Add missing interfaces to a bond; return the changes."""
    given: Any = requested.settings.get("slaves") or []
    slaves = [*map(str, given)] if is_list(given) else str(given).split()
    added: list[str] = await ctx.call("ip.enslave", requested.name, slaves) if slaves else []
    if not added:
        return {}
    return {"enslave": f"Added slaves '{' '.join(added)}' to master '{requested.name}'"}
