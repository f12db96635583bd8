"""The fstab: what is mounted at the next start. Lines that a change does not concern stay as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules.mount.mounting import joined, unescaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.context import FunctionContext

DEFAULT: Final = "/etc/fstab"
"""Where it lies."""

_SPECIAL: Final = re.compile(r"[\s\\]")
_FIELDS: Final = 6
_NAMES: Final = ("device", "name", "fstype", "opts", "dump", "pass_num")


async def fstab(ctx: FunctionContext, config: str = DEFAULT) -> dict[str, dict[str, Any]]:
    """Return what a fstab holds: by folder `device fstype opts dump pass`."""
    found: dict[str, dict[str, Any]] = {}
    for line in await _read(ctx, config):
        fields = _fields(line)
        if fields:
            device, folder, fstype, opts, dump, number = fields
            found[folder] = {
                "device": device, "fstype": fstype, "opts": opts.split(","), "dump": dump, "pass": number,
            }  # fmt: skip
    return found


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
        ctx: the target.
        name: the folder; its line is the one that changes.
        device: the device.
        fstype: the kind of file system.
        opts: options.
        dump: whether `dump` saves it.
        pass_num: when it is checked at the start.
        config: the fstab.
        test: return what would be done without doing it.
        match_on: the fields (`name device fstype opts dump pass_num`) that tell which line it is; `auto`: the
            folder, and where there is none the device.
        not_change: leave a line alone that is there.

    Returns:
        `new`, `change` or `present`.

    Raises:
        StateFailedError: a field is empty, or `match_on` has a word that is no field.
    """
    fields = [device, name, fstype, joined(opts), str(dump), str(pass_num)]
    if not all(fields):
        raise StateFailedError(
            f"a line of {config} needs a device, a folder and a kind of file system: {fields}"
        )
    new = "\t".join(_escaped(field) for field in fields)
    lines = await _read(ctx, config)
    keys = _keys(name, match_on)
    found = [(place, _fields(line)) for place, line in enumerate(lines)]
    places = [place for place, line in found if line and all(line[key] == fields[key] for key in keys)]
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
        ctx: the target.
        name: the folder.
        device: only when it is this one's.
        config: the fstab.

    Returns:
        Whether there was one.
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
    return (await ctx.connection.read(config)).decode("utf-8", "surrogateescape").splitlines()


async def _write(ctx: FunctionContext, config: str, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    await ctx.connection.write(config, text.encode("utf-8", "surrogateescape"))


def _keys(name: str, match_on: str | Sequence[str]) -> list[int]:
    """Return the places of the fields that tell which line of the fstab is meant."""
    if match_on == "auto":
        # Several swaps all say `none`: there the device tells the lines apart.
        return [0 if name in {"none", "swap"} else 1]
    words = [match_on] if isinstance(match_on, str) else match_on
    unknown = [word for word in words if word not in _NAMES]
    if unknown:
        raise StateFailedError(f"`match_on` takes {', '.join(_NAMES)}, not {', '.join(unknown)}")
    return [_NAMES.index(word) for word in words]


def _fields(line: str) -> list[str] | None:
    if line.lstrip()[:1] in {"", "#"}:
        return None
    found = [unescaped(field) for field in line.split()]
    if len(found) < 3:  # noqa: PLR2004 (device, folder, kind)
        return None
    return [*found, *("defaults", "0", "0")[len(found) - 3 :]][:_FIELDS]


def _escaped(field: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{ord(match[0]):03o}", field)
