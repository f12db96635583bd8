"""`mount.unmounted`: unmounts a file system, and removes it from the fstab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def unmounted(
    ctx: StateContext,
    name: str,
    *,
    device: str | None = None,
    config: str = "/etc/fstab",
    persist: bool = False,
    user: str | None = None,
) -> StateReturn:
    """Unmount a file system.

    Args:
        device: remove the entry of the fstab only if it is for this device.
        persist: also remove the entry from the fstab.
        user: accepted, as in Salt, without effect: the user of the connection unmounts it.

    Example:
        /srv/data:
          mount.unmounted:
            - persist: true

    Returns:
        `changes` has `umount` and `persist`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the file system is busy.
    """
    is_mounted: bool = await ctx.call("mount.is_mounted", name)
    line = (await ctx.call("mount.fstab", config)).get(name) if persist else None
    has_line = line is not None and device in {None, line["device"]}
    comment = "Target was already unmounted"
    if ctx.test and (is_mounted or has_line):
        comment = f"Mount point {name} is mounted but should not be" if is_mounted else comment
        if has_line:
            comment += f". Mount point {name} is set to be purged from {config}"
        return StateReturn.planned(name, comment)
    changes: DataMap = {}
    if is_mounted:
        await ctx.call("mount.umount", name)
        changes["umount"] = True
        comment = "Target was successfully unmounted"
    if has_line:
        await ctx.call("mount.rm_fstab", name, device, config)
        changes["persist"] = "purged"
        comment += ". Removed target from fstab"
    elif persist:
        comment += ". fstab entry not found"
    new_state: DataMap = {"name": name, "exists": False}
    return StateReturn.changed(name, comment, changes, new_state)
