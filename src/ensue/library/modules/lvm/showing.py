"""Returns LVM's volumes and groups, from the colon-separated output of its programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_PHYSICAL: Final = (
    "Physical Volume Device", "Volume Group Name", "Physical Volume Size (kB)",
    "Internal Physical Volume Number", "Physical Volume Status", "Physical Volume (not) Allocatable",
    "Current Logical Volumes Here", "Physical Extent Size (kB)", "Total Physical Extents",
    "Free Physical Extents", "Allocated Physical Extents",
)  # fmt: skip
_GROUP: Final = (
    "Volume Group Name", "Volume Group Access", "Volume Group Status", "Internal Volume Group Number",
    "Maximum Logical Volumes", "Current Logical Volumes", "Open Logical Volumes",
    "Maximum Logical Volume Size", "Maximum Physical Volumes", "Current Physical Volumes",
    "Actual Physical Volumes", "Volume Group Size (kB)", "Physical Extent Size (kB)",
    "Total Physical Extents", "Allocated Physical Extents", "Free Physical Extents", "UUID",
)  # fmt: skip
_LOGICAL: Final = (
    "Logical Volume Name", "Volume Group Name", "Logical Volume Access", "Logical Volume Status",
    "Internal Logical Volume Number", "Open Logical Volumes", "Logical Volume Size",
    "Current Logical Extents Associated", "Allocated Logical Extents", "Allocation Policy",
    "Read Ahead Sectors", "Major Device Number", "Minor Device Number",
)  # fmt: skip


async def version(ctx: FunctionContext) -> str:
    """Return the version of LVM."""
    answer = await must(ctx, "lvm", "version", what="ask for its version")
    return answer.stdout.splitlines()[0].partition(":")[2].strip()


async def pvdisplay(
    ctx: FunctionContext, pvname: str = "", real: bool = False, quiet: bool = False
) -> dict[str, dict[str, str]]:
    """Return physical volumes, by device.

    Args:
        pvname: only this physical volume.
        real: use the resolved paths of devices that are symlinks.

    Returns:
        The volumes; empty if there are none.

    Raises:
        StateFailedError: the target has no LVM.
    """
    del quiet
    volumes = await _shown(ctx, "pvdisplay", pvname, _PHYSICAL)
    if not real:
        return volumes
    resolved: dict[str, dict[str, str]] = {}
    for device, about in volumes.items():
        place = (await ask(ctx, "readlink", "-f", "--", device)).stdout.strip() or device
        resolved[place] = {**about, "Real Physical Volume Device": place}
    return resolved


async def vgdisplay(ctx: FunctionContext, vgname: str = "", quiet: bool = False) -> dict[str, dict[str, str]]:
    """Return volume groups by name; empty if there are none.

    Args:
        vgname: the volume group.
    """
    del quiet
    return await _shown(ctx, "vgdisplay", vgname, _GROUP)


async def lvdisplay(ctx: FunctionContext, lvname: str = "", quiet: bool = False) -> dict[str, dict[str, str]]:
    """Return logical volumes by path; empty if there are none."""
    del quiet
    return await _shown(ctx, "lvdisplay", lvname, _LOGICAL)


async def _shown(
    ctx: FunctionContext, program: str, name: str, keys: tuple[str, ...]
) -> dict[str, dict[str, str]]:
    answer = await ask(ctx, program, "-c", *([name] if name else []))
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `{program}`; install lvm2 there")
    if not answer.is_success:
        return {}
    rows = [line.strip().split(":") for line in answer.stdout.splitlines() if line.count(":") > 1]
    return {
        row[0]: dict(zip(keys, row, strict=False)) for row in rows if "is a new physical volume" not in row[0]
    }


OFFERED: Final = by_name(lvdisplay, pvdisplay, version, vgdisplay)
