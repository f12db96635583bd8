"""Creates, resizes and removes logical volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import must
from ensue.library.modules.lvm.physical import options
from ensue.library.modules.lvm.showing import lvdisplay

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_SWITCHES: Final = ("nosync", "noudevsync", "ignoremonitoring", "thin")
_KNOWN: Final = (
    *_SWITCHES, "activate", "chunksize", "contiguous", "discards", "stripes", "stripesize", "minor",
    "persistent", "mirrors", "monitor", "permission", "poolmetadatasize", "readahead", "regionsize", "type",
    "virtualsize", "zero",
)  # fmt: skip


async def lvcreate(
    ctx: FunctionContext,
    lvname: str,
    vgname: str,
    *,
    size: str | int | None = None,
    extents: str | int | None = None,
    snapshot: str | None = None,
    pv: str | None = None,
    thinvolume: bool = False,
    thinpool: bool = False,
    force: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    """Create a logical volume.

    Args:
        vgname: the volume group; for a thin volume with its pool (`vg/pool`).
        size: its size, in MiB or with a unit (`10G`).
        extents: its size in extents, or as a percentage (`100%FREE`).
        snapshot: the volume that it is a snapshot of.
        pv: the physical volume to allocate it on.
        thinvolume: create a thin volume.
        thinpool: create a pool for thin volumes.
        **kwargs: options of lvcreate (`stripes`, `type`, `readahead`, …).

    Example:
        ensue call '*' lvm.lvcreate www data

    Returns:
        The volume, as `lvm.lvdisplay` returns it.

    Raises:
        StateFailedError: the arguments are invalid, or LVM refuses it.
    """
    if bool(size) is bool(extents):
        raise StateFailedError("give a logical volume either `size` or `extents`")
    if thinvolume and (thinpool or extents):
        raise StateFailedError("a thin volume requires a `size`, and cannot be a pool")
    kind = ["--thin", "-n"] if thinvolume else ["--thinpool"] if thinpool else ["-n"]
    where = ["-s", f"{vgname}/{snapshot}"] if snapshot else [vgname]
    flag = "-V" if thinvolume else "-L" if size else "-l"
    words = [*kind, lvname, *where, flag, str(size or extents), *([pv] if pv else [])]
    words += [*options(kwargs, _KNOWN, _SWITCHES), "--yes" if force else "-qq"]
    await must(ctx, "lvcreate", *words, what=f"create the logical volume {lvname}")
    message = f'Logical volume "{lvname}" created.'
    shown = await lvdisplay(ctx, f"/dev/{vgname.partition('/')[0]}/{lvname}")
    return {**shown, "Output from lvcreate": message}


async def lvresize(
    ctx: FunctionContext,
    size: str | int | None = None,
    lvpath: str = "",
    extents: str | int | None = None,
    *,
    force: bool = False,
    resizefs: bool = False,
) -> DataMap:
    """Resize a logical volume, and with `resizefs` the file system on it.

    Args:
        size: the new size, in MiB or with a unit (`10G`, `+1G`).
        lvpath: the path of the volume.
        extents: the new size in extents, or as a percentage (`100%FREE`), instead of `size`.
        force: shrink without asking.
        resizefs: also resize the file system.

    Raises:
        StateFailedError: it is not exactly one of `size` and `extents`, or LVM refuses it.
    """
    if bool(size) is bool(extents):
        raise StateFailedError("resize a logical volume with either `size` or `extents`")
    words = ["--force" if force else "-qq", *(["--resizefs"] if resizefs else [])]
    words += ["-L", str(size)] if size else ["-l", str(extents)]
    await must(ctx, "lvresize", *words, lvpath, what=f"resize {lvpath}")
    return {"Output from lvresize": f'Logical volume "{lvpath}" successfully resized.'}


async def lvremove(ctx: FunctionContext, lvname: str, vgname: str, force: bool = True) -> str:
    """Remove a logical volume with its content.

    Args:
        vgname: the volume group of the logical volume.

    Example:
        ensue call '*' lvm.lvremove www data

    Raises:
        StateFailedError: the volume is in use.
    """
    words = [f"{vgname}/{lvname}", "--yes" if force else "-qq"]
    await must(ctx, "lvremove", *words, what=f"remove the logical volume {lvname}")
    return f'Logical volume "{lvname}" successfully removed'


OFFERED: Final = by_name(lvcreate, lvremove, lvresize)
