"""Creates, extends and removes physical volumes and volume groups.

Args:
    devices: the devices, as a list or separated by commas.
    override: accepted as by Salt, without effect.
    vgname: the volume group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import must
from ensue.library.modules.lvm.showing import pvdisplay, vgdisplay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

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
    """Create physical volumes on devices; existing physical volumes are left alone.

    Args:
        **kwargs: options of pvcreate (`metadatasize`, `dataalignment`, …).

    Example:
        ensue call '*' lvm.pvcreate /dev/vdb

    Raises:
        StateFailedError: LVM refuses a device.
    """
    del override
    waiting = [each for each in _listed(devices) if not await pvdisplay(ctx, each)]
    if waiting:
        words = [*_answer(force), *options(kwargs, _OF_VOLUMES, switches=("norestorefile",)), *waiting]
        await must(ctx, "pvcreate", *words, what=f"create a physical volume on {', '.join(waiting)}")
    return True


async def pvremove(
    ctx: FunctionContext, devices: str | list[str], override: bool = True, force: bool = True
) -> bool:
    """Remove the physical volumes from devices.

    Example:
        ensue call '*' lvm.pvremove /dev/vdb

    Raises:
        StateFailedError: a volume group uses one of them.
    """
    del override
    there = [each for each in _listed(devices) if await pvdisplay(ctx, each)]
    if there:
        await must(ctx, "pvremove", *_answer(force), *there, what=f"remove {', '.join(there)}")
    return True


async def pvresize(
    ctx: FunctionContext, devices: str | list[str], override: bool = True, force: bool = True
) -> bool:
    """Grow physical volumes to the size of their devices.

    Example:
        ensue call '*' lvm.pvresize /dev/vdb
    """
    del override
    there = [each for each in _listed(devices) if await pvdisplay(ctx, each)]
    if there:
        await must(ctx, "pvresize", *_answer(force), *there, what=f"resize {', '.join(there)}")
    return True


async def vgcreate(
    ctx: FunctionContext, vgname: str, devices: str | list[str], force: bool = False, **kwargs: Any
) -> dict[str, Any]:
    """Create a volume group and return it, as `lvm.vgdisplay` does.

    Args:
        **kwargs: options of vgcreate.

    Example:
        ensue call '*' lvm.vgcreate data /dev/vdb

    Raises:
        StateFailedError: LVM refuses it.
    """
    words = [vgname, *_listed(devices), *_answer(force), *options(kwargs, _OF_GROUPS)]
    await must(ctx, "vgcreate", *words, what=f"create the volume group {vgname}")
    message = f'Volume group "{vgname}" successfully created'
    return {**await vgdisplay(ctx, vgname), "Output from vgcreate": message}


async def vgextend(
    ctx: FunctionContext, vgname: str, devices: str | list[str], force: bool = False
) -> DataMap:
    """Add devices to a volume group.

    Example:
        ensue call '*' lvm.vgextend data /dev/vdb

    Raises:
        StateFailedError: LVM refuses a device.
    """
    words = [vgname, *_answer(force), *_listed(devices)]
    await must(ctx, "vgextend", *words, what=f"extend the volume group {vgname}")
    return {"Output from vgextend": f'Volume group "{vgname}" successfully extended'}


async def vgremove(ctx: FunctionContext, vgname: str, force: bool = True) -> str:
    """Remove a volume group, with `force` including its logical volumes.

    Example:
        ensue call '*' lvm.vgremove data

    Raises:
        StateFailedError: the group is in use.
    """
    await must(ctx, "vgremove", vgname, *_answer(force), what=f"remove the volume group {vgname}")
    return f'Volume group "{vgname}" successfully removed'


def options(given: Mapping[str, Any], known: tuple[str, ...], switches: tuple[str, ...] = ()) -> list[str]:
    """Return the options for a program that it supports.

    Args:
        given: values by option name; options without a value are left out.
        known: the options that the program supports.
        switches: the options that take no value.
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


OFFERED: Final = by_name(pvcreate, pvremove, pvresize, vgcreate, vgextend, vgremove)
