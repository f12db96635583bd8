"""`lvm.pv_present`, `pv_absent`, `vg_present` and `vg_absent`: physical volumes and volume groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.returns import StateReturn
from ensue.library.states.lvm.queries import shown

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_FREE: Final = frozenset({"", "#orphans_lvm2"})


async def pv_present(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Create a physical volume.

    Args:
        name: the device.
        **kwargs: the arguments of `lvm.pvcreate`.

    Example:
        /dev/vdb:
          lvm.pv_present

    Returns:
        `changes` has `created`; `new_state` has `name`.

    Raises:
        StateFailedError: LVM reports an error.
    """
    if await shown(ctx, "lvm.pvdisplay", name):
        return StateReturn.unchanged(name, f"Physical Volume {name} already present", {"name": name})
    if ctx.test:
        return StateReturn.planned(name, f"Physical Volume {name} is set to be created")
    done = await ctx.call("lvm.pvcreate", name, **kwargs)
    return StateReturn.changed(name, f"Created Physical Volume {name}", {"created": done}, {"name": name})


async def pv_absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a physical volume.

    Args:
        name: the device.

    Example:
        /dev/vdb:
          lvm.pv_absent

    Returns:
        `changes` has `removed`; `new_state` has `name exists`.

    Raises:
        StateFailedError: a volume group uses it.
    """
    new_state: DataMap = {"name": name, "exists": False}
    if not await shown(ctx, "lvm.pvdisplay", name):
        return StateReturn.unchanged(name, f"Physical Volume {name} does not exist", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Physical Volume {name} is set to be removed")
    done = await ctx.call("lvm.pvremove", name)
    return StateReturn.changed(name, f"Removed Physical Volume {name}", {"removed": done}, new_state)


async def vg_present(
    ctx: StateContext, name: str, devices: str | list[str] | None = None, **kwargs: Any
) -> StateReturn:
    """Create a volume group, or add devices to it; its other devices are left alone.

    Args:
        name: the group.
        devices: physical volumes, a list or separated by commas.
        **kwargs: the arguments of `lvm.vgcreate`.

    Example:
        data:
          lvm.vg_present:
            - devices: [/dev/vdb, /dev/vdc]

    Returns:
        `changes` has `created`, or the added devices; `new_state` has `name devices`.

    Raises:
        StateFailedError: LVM reports an error.
    """
    requested = devices.split(",") if isinstance(devices, str) else devices or []
    new_state: DataMap = {"name": name, "devices": [*requested]}
    if await shown(ctx, "lvm.vgdisplay", name):
        return await _extended(ctx, name, requested, new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Volume Group {name} is set to be created")
    done = await ctx.call("lvm.vgcreate", name, requested, **kwargs)
    return StateReturn.changed(name, f"Created Volume Group {name}", {"created": done}, new_state)


async def vg_absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a volume group with its logical volumes.

    Args:
        name: the group.

    Example:
        data:
          lvm.vg_absent

    Returns:
        `changes` has `removed`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the group is in use.
    """
    new_state: DataMap = {"name": name, "exists": False}
    if not await shown(ctx, "lvm.vgdisplay", name):
        return StateReturn.unchanged(name, f"Volume Group {name} already absent", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Volume Group {name} is set to be removed")
    done = await ctx.call("lvm.vgremove", name)
    return StateReturn.changed(name, f"Removed Volume Group {name}", {"removed": done}, new_state)


async def _extended(ctx: StateContext, name: str, requested: list[str], new_state: DataMap) -> StateReturn:
    """Add missing devices to an existing group."""
    comments = [f"Volume Group {name} already present"]
    changes: DataMap = {}
    is_failed = False
    for device in requested:
        volumes: dict[str, dict[str, str]] = await ctx.call("lvm.pvdisplay", device)
        group = next((about["Volume Group Name"] for about in volumes.values()), None)
        if group == name:
            comments.append(f"{device} is part of Volume Group")
        elif group in _FREE:
            changes[device] = f"added to {name}"
            if ctx.test:
                comments.append(f"{device} is set to be added")
            else:
                await ctx.call("lvm.vgextend", name, device)
        else:
            # In a plan, an earlier state may be about to create the volume.
            is_failed = is_failed or group is not None or not ctx.test
            comments.append(
                f"pv {device} is not present" if group is None else f"{device} is part of {group}"
            )
            if group is None and ctx.test:
                changes[device] = f"added to {name}"
    comment = "\n".join(comments)
    if is_failed:
        return StateReturn.failed(name, comment, changes)
    if ctx.test and changes:
        return StateReturn.planned(name, comment, changes)
    return StateReturn.changed(name, comment, changes, new_state)
