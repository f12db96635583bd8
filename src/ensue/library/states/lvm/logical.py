"""`lvm.lv_present` and `lvm.lv_absent`: logical volumes and their sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.lvm.queries import shown

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_SIZE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[smgtp]?)b?\Z")
_SECTORS: Final = {"s": 1, "": 2048, "m": 2048, "g": 2048 << 10, "t": 2048 << 20, "p": 2048 << 30}


async def lv_present(
    ctx: StateContext,
    name: str,
    vgname: str | None = None,
    size: str | int | None = None,
    extents: str | int | None = None,
    *,
    snapshot: str | None = None,
    pv: str = "",
    thinvolume: bool = False,
    thinpool: bool = False,
    force: bool = False,
    resizefs: bool = False,
    **kwargs: Any,
) -> StateReturn:
    """Create a logical volume, or extend it to a size.

    Args:
        name: the volume; with `snapshot`, the volume to take a snapshot of.
        vgname: the volume group; for a thin volume with its pool (`vg/pool`).
        size: size in MiB or with a unit (`10G`).
        extents: size in extents; a percentage (`100%FREE`) is used only at creation.
        snapshot: name of a snapshot of `name`.
        pv: physical volume to create the volume on.
        thinvolume: create a thin volume.
        thinpool: create a pool for thin volumes.
        force: also reduce the volume.
        resizefs: also resize the file system on the volume.
        **kwargs: the arguments of `lvm.lvcreate`.

    Example:
        www:
          lvm.lv_present:
            - vgname: data
            - size: 10G
            - resizefs: true

    Returns:
        `changes` has `created` or `resized`; `new_state` has `name vgname path`.

    Raises:
        StateFailedError: a size is invalid, the volume would have to be reduced, or LVM reports an error.
    """
    if size and extents:
        raise StateFailedError("Only one of extents or size can be specified.")
    if not vgname:
        raise StateFailedError("lvm.lv_present needs a `vgname`")
    sectors = _sectors(size) if size else None
    volume, origin = (snapshot, name) if snapshot else (name, None)
    path = f"/dev/{vgname.partition('/')[0]}/{volume}"
    new_state: DataMap = {"name": volume, "vgname": vgname, "path": path}
    there = (await shown(ctx, "lvm.lvdisplay", path)).get(path)
    if there is None:
        if ctx.test:
            return StateReturn.planned(name, f"Logical Volume {volume} is set to be created")
        done = await ctx.call(
            "lvm.lvcreate", volume, vgname, size=size, extents=extents, snapshot=origin, pv=pv or None,
            thinvolume=thinvolume, thinpool=thinpool, force=force, **kwargs,
        )  # fmt: skip
        return StateReturn.changed(name, f"Created Logical Volume {volume}", {"created": done}, new_state)
    by_extents = None if extents is None or "%" in str(extents) else int(extents)
    growth = _growth(there, sectors, by_extents)
    if growth == 0:
        comment = f"Logical Volume {volume} already present"
        if extents is not None and by_extents is None:
            comment += f", {extents} won't be resized."
        return StateReturn.unchanged(name, comment, new_state)
    if growth < 0 and not force:
        raise StateFailedError("To reduce a Logical Volume option 'force' must be True.")
    if ctx.test:
        return StateReturn.planned(name, f"Logical Volume {volume} is set to be resized")
    done = await ctx.call(
        "lvm.lvresize", lvpath=path, size=size, extents=by_extents, force=force, resizefs=resizefs
    )
    return StateReturn.changed(name, f"Resized Logical Volume {volume}", {"resized": done}, new_state)


async def lv_absent(ctx: StateContext, name: str, vgname: str | None = None) -> StateReturn:
    """Remove a logical volume with its data.

    Args:
        name: the volume.
        vgname: its volume group.

    Example:
        scratch:
          lvm.lv_absent:
            - vgname: data

    Returns:
        `changes` has `removed`; `new_state` has `name vgname path exists`.

    Raises:
        StateFailedError: the volume is in use.
    """
    path = f"/dev/{vgname}/{name}"
    new_state: DataMap = {"name": name, "vgname": vgname, "path": path, "exists": False}
    if not await shown(ctx, "lvm.lvdisplay", path):
        return StateReturn.unchanged(name, f"Logical Volume {name} already absent", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Logical Volume {name} is set to be removed")
    done = await ctx.call("lvm.lvremove", name, vgname)
    return StateReturn.changed(name, f"Removed Logical Volume {name}", {"removed": done}, new_state)


def _growth(there: dict[str, Any], target_sectors: int | None, extents: int | None) -> int:
    """Return by how much a volume is too small; a negative number if it is too large.

    LVM rounds a size up to whole extents, so an excess of less than one extent counts as the requested size.
    """
    sectors = int(there["Logical Volume Size"])
    count = int(there["Current Logical Extents Associated"])
    if extents is not None:
        return extents - count
    extent = sectors // count if count else 1
    if target_sectors is None or 0 <= sectors - target_sectors < extent:
        return 0
    return target_sectors - sectors


def _sectors(size: str | int) -> int:
    match = _SIZE.match(str(size).strip().lower())
    if match is None:
        raise StateFailedError(f"Size {size} is invalid: it is a number of MiB, or has a unit (10G)")
    return int(float(match["number"]) * _SECTORS[match["unit"]])
