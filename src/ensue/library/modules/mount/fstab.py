"""Reads and changes the fstab, which lists what is mounted at boot. A change preserves all other lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules.mount.mounting import joined, unescaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

DEFAULT: Final = "/etc/fstab"
"""The path of the fstab."""

_SPECIAL: Final = re.compile(r"[\s\\]")
_FIELDS: Final = 6
_NAMES: Final = ("device", "name", "fstype", "opts", "dump", "pass_num")


async def fstab(ctx: FunctionContext, config: str = DEFAULT) -> dict[str, dict[str, Any]]:
    """Return the entries of an fstab by folder: `device`, `fstype`, `opts`, `dump` and `pass`.

    Args:
        config: the path of the fstab.
    """
    entries: dict[str, dict[str, Any]] = {}
    for line in await _read(ctx, config):
        fields = _fields(line)
        if fields:
            device, folder, fstype, opts, dump, number = fields
            entries[folder] = {
                "device": device, "fstype": fstype, "opts": opts.split(","), "dump": dump, "pass": number,
            }  # fmt: skip
    return entries


async def set_fstab(
    ctx: FunctionContext,
    name: str,
    device: str,
    fstype: str,
    *,
    opts: str | Sequence[str] = "defaults",
    dump: int = 0,
    pass_num: int = 0,
    config: str = DEFAULT,
    test: bool = False,
    match_on: str | Sequence[str] = "auto",
    not_change: bool = False,
) -> str:
    """Add or change the line of a folder.

    Args:
        name: the folder whose line to change.
        device: the device.
        fstype: the type of the file system.
        opts: mount options.
        dump: whether `dump` backs it up.
        pass_num: the order of its check at boot, 0 for none.
        config: the path of the fstab.
        test: return what would be done without doing it.
        match_on: the fields (of `name`, `device`, `fstype`, `opts`, `dump`, `pass_num`) that identify the
            line; `auto` for the folder or, without a folder, the device.
        not_change: leave an existing line as it is.

    Example:
        ensue call '*' mount.set_fstab /srv/data /dev/vdb ext4

    Returns:
        `new`, `change` or `present`.

    Raises:
        StateFailedError: a field is empty, or `match_on` names an unknown field.
    """
    fields = [device, name, fstype, joined(opts), str(dump), str(pass_num)]
    if not all(fields):
        raise StateFailedError(
            f"a line of {config} requires a device, a folder and a file system type: {fields}"
        )
    new = "\t".join(_escaped(field) for field in fields)
    lines = await _read(ctx, config)
    keys = _keys(name, match_on)
    entries = [(place, _fields(line)) for place, line in enumerate(lines)]
    places = [place for place, line in entries if line and all(line[key] == fields[key] for key in keys)]
    if places and (not_change or all(_fields(lines[place]) == fields for place in places)):
        return "present"
    if not test:
        kept = [line for place, line in enumerate(lines) if place not in places[1:]]
        if places:
            kept[places[0]] = new
        await _write(ctx, config, kept if places else [*lines, new])
    return "change" if places else "new"


async def rm_fstab(ctx: FunctionContext, name: str, device: str | None = None, config: str = DEFAULT) -> bool:
    """Remove the line of a folder.

    Args:
        name: the folder.
        device: only if the line is for this device.
        config: the path of the fstab.

    Example:
        ensue call '*' mount.rm_fstab /srv/data

    Returns:
        Whether there was such a line.
    """
    lines = await _read(ctx, config)
    left: list[str] = []
    for line in lines:
        fields = _fields(line)
        if not fields or fields[1] != name or (device and fields[0] != device):
            left.append(line)
    if len(left) == len(lines):
        return False
    await _write(ctx, config, left)
    return True


async def _read(ctx: FunctionContext, config: str) -> list[str]:
    if await ctx.connection.stat(config, follow=True) is None:
        return []
    return file_lines((await ctx.connection.read(config)).decode("utf-8", "surrogateescape"))


async def _write(ctx: FunctionContext, config: str, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    await ctx.connection.write(config, text.encode("utf-8", "surrogateescape"))


def _keys(name: str, match_on: str | Sequence[str]) -> list[int]:
    """Return the positions of the fields that identify the line of the fstab."""
    if match_on == "auto":
        # All swap areas have the folder `none`; their devices distinguish them.
        return [0 if name in {"none", "swap"} else 1]
    words = [match_on] if isinstance(match_on, str) else match_on
    unknown = [word for word in words if word not in _NAMES]
    if unknown:
        raise StateFailedError(f"`match_on` has unknown fields {', '.join(unknown)}; use {', '.join(_NAMES)}")
    return [_NAMES.index(word) for word in words]


def _fields(line: str) -> list[str] | None:
    if line.lstrip()[:1] in {"", "#"}:
        return None
    fields = [unescaped(field) for field in line.split()]
    if len(fields) < 3:  # noqa: PLR2004 (device, folder, kind)
        return None
    return [*fields, *("defaults", "0", "0")[len(fields) - 3 :]][:_FIELDS]


def _escaped(field: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{ord(match[0]):03o}", field)
