"""Physical volumes and the groups that they are put into: making, enlarging and removing these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules._programs import must
from ensue.modules.lvm.showing import pvdisplay, vgdisplay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap

_OF_VOLUMES: Final = (
    "metadatasize", "dataalignment", "dataalignmentoffset", "pvmetadatacopies", "metadatacopies",
    "metadataignore", "restorefile", "norestorefile", "labelsector", "setphysicalvolumesize",
)  # fmt: skip
_OF_GROUPS: Final = (
    "addtag", "alloc", "autobackup", "clustered", "maxlogicalvolumes", "maxphysicalvolumes", "metadatatype",
    "vgmetadatacopies", "metadatacopies", "physicalextentsize", "zero",
)  # fmt: skip


async def pvcreate(
    ctx: FunctionContext, devices: str | list[str], override: bool = True, force: bool = True, **kwargs: Any
) -> bool:
    """Make physical volumes of devices that are none.

    Args:
        ctx: the target.
        devices: a list, or joined by commas.
        override: Salt's; what is a volume already is left alone.
        force: answer LVM's questions with yes.
        **kwargs: options of pvcreate (`metadatasize`, `dataalignment`, …).

    Raises:
        StateFailedError: LVM refuses a device.
    """
    del override
    waiting = [each for each in _listed(devices) if not await pvdisplay(ctx, each)]
    if waiting:
        words = [*_answer(force), *options(kwargs, _OF_VOLUMES, switches=("norestorefile",)), *waiting]
        await must(ctx, "pvcreate", *words, what=f"make a physical volume of {', '.join(waiting)}")
    return True


async def pvremove(
    ctx: FunctionContext, devices: str | list[str], override: bool = True, force: bool = True
) -> bool:
    """Remove the physical volumes from devices.

    Raises:
        StateFailedError: a volume group uses one.
    """
    del override
    there = [each for each in _listed(devices) if await pvdisplay(ctx, each)]
    if there:
        await must(ctx, "pvremove", *_answer(force), *there, what=f"remove {', '.join(there)}")
    return True


async def pvresize(
    ctx: FunctionContext, devices: str | list[str], override: bool = True, force: bool = True
) -> bool:
    """Grow physical volumes to the size of their devices."""
    del override
    there = [each for each in _listed(devices) if await pvdisplay(ctx, each)]
    if there:
        await must(ctx, "pvresize", *_answer(force), *there, what=f"resize {', '.join(there)}")
    return True


async def vgcreate(
    ctx: FunctionContext, vgname: str, devices: str | list[str], force: bool = False, **kwargs: Any
) -> dict[str, Any]:
    """Make a volume group; returns what `vgdisplay` says of it.

    Raises:
        StateFailedError: LVM refuses it.
    """
    words = [vgname, *_listed(devices), *_answer(force), *options(kwargs, _OF_GROUPS)]
    await must(ctx, "vgcreate", *words, what=f"make the volume group {vgname}")
    said = f'Volume group "{vgname}" successfully created'
    return {**await vgdisplay(ctx, vgname), "Output from vgcreate": said}


async def vgextend(
    ctx: FunctionContext, vgname: str, devices: str | list[str], force: bool = False
) -> DataMap:
    """Add devices to a volume group.

    Raises:
        StateFailedError: LVM refuses one.
    """
    words = [vgname, *_answer(force), *_listed(devices)]
    await must(ctx, "vgextend", *words, what=f"extend the volume group {vgname}")
    return {"Output from vgextend": f'Volume group "{vgname}" successfully extended'}


async def vgremove(ctx: FunctionContext, vgname: str, force: bool = True) -> str:
    """Remove a volume group, and with `force` the logical volumes in it.

    Raises:
        StateFailedError: it is used.
    """
    await must(ctx, "vgremove", vgname, *_answer(force), what=f"remove the volume group {vgname}")
    return f'Volume group "{vgname}" successfully removed'


def options(given: Mapping[str, Any], known: tuple[str, ...], switches: tuple[str, ...] = ()) -> list[str]:
    """Return the options of a program, those that it knows.

    Args:
        given: by name their values; those without one are left out.
        known: what the program knows.
        switches: what takes no value.
    """
    words: list[str] = []
    for name, value in given.items():
        if name in known and value not in {None, "", False}:
            words += [f"--{name}"] if name in switches else [f"--{name}", _text(value)]
    return words


def _text(value: Any) -> str:
    return "y" if value is True else str(value)


def _answer(force: bool) -> list[str]:
    return ["--yes"] if force else ["-qq"]


def _listed(devices: str | list[str]) -> list[str]:
    return devices.split(",") if isinstance(devices, str) else devices


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "pvcreate": pvcreate,
    "pvremove": pvremove,
    "pvresize": pvresize,
    "vgcreate": vgcreate,
    "vgextend": vgextend,
    "vgremove": vgremove,
}
