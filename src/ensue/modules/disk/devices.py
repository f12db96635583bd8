"""Block devices: making a file system on one, and how the kernel reads from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext

_ASKED: Final[tuple[str, ...]] = (
    "getro", "getsz", "getss", "getpbsz", "getiomin", "getioopt", "getalignoff", "getmaxsect", "getsize",
    "getsize64", "getra", "getfra",
)  # fmt: skip
_SETTINGS: Final = {
    "read-ahead": "ra", "filesystem-read-ahead": "fra", "read-only": "ro", "read-write": "rw",
}  # fmt: skip
_FAT_SIZES: Final = frozenset({12, 16, 32})


async def dump(ctx: FunctionContext, device: str, args: list[str] | None = None) -> dict[str, str]:
    """Return what the kernel says of a device.

    Args:
        ctx: the target.
        device: the device.
        args: only these keys.

    Returns:
        By the names of blockdev's options (`getra`, `getro`, `getsize64`) what they print.

    Raises:
        StateFailedError: it is no block device.
    """
    words = [f"--{name}" for name in _ASKED]
    said = await must(ctx, "blockdev", *words, device, what=f"ask about {device}")
    found: dict[str, str] = dict(zip(_ASKED, said.stdout.split(), strict=False))
    return {name: found[name] for name in args} if args else found


async def tune(ctx: FunctionContext, device: str, **kwargs: Any) -> dict[str, str]:
    """Set how the kernel reads from a device.

    Args:
        ctx: the target.
        device: the device.
        **kwargs: `read-ahead` and `filesystem-read-ahead`, in sectors; `read-only` or `read-write`, true.

    Returns:
        As `dump` does, what was set.

    Raises:
        StateFailedError: there is no such setting, or it is refused.
    """
    words: list[str] = []
    for name, value in kwargs.items():
        is_switch = name in {"read-only", "read-write"}
        if name not in _SETTINGS or (is_switch and str(value) != "True"):
            raise StateFailedError(f"Invalid keyword arguments: {name}={value}")
        words += [f"--set{_SETTINGS[name]}", *([] if is_switch else [str(value)])]
    await must(ctx, "blockdev", *words, device, what=f"tune {device}")
    return await dump(ctx, device, [_asked(name) for name in kwargs])


async def format_(
    ctx: FunctionContext,
    device: str,
    fs_type: str = "ext4",
    *,
    inode_size: int | None = None,
    lazy_itable_init: int | None = None,
    fat: int | None = None,
    force: bool = False,
) -> bool:
    """Make a file system on a device; what was on it is lost.

    Args:
        ctx: the target.
        device: the device, or a file.
        fs_type: the kind of file system.
        inode_size: of ext: bytes for each inode; of xfs: the size of one.
        lazy_itable_init: of ext: whether the kernel is to prepare it later.
        fat: of fat: 12, 16 or 32.
        force: whatever is on the device.

    Raises:
        StateFailedError: the target has no program for it, or the device is refused.
    """
    is_ext = fs_type.startswith("ext")
    words = ["-t", fs_type]
    if inode_size is not None and (is_ext or fs_type == "xfs"):
        words += ["-i", str(inode_size) if is_ext else f"size={inode_size}"]
    if lazy_itable_init is not None and is_ext:
        words += ["-E", f"lazy_itable_init={int(lazy_itable_init)}"]
    if fat in _FAT_SIZES and fs_type.endswith("fat"):
        words += ["-F", str(fat)]
    if force and (is_ext or fs_type in {"xfs", "btrfs"}):
        words.append("-F" if is_ext else "-f")
    await must(ctx, "mkfs", *words, device, what=f"make {fs_type} on {device}")
    return (await ask(ctx, "sync")).is_success


async def wipe(ctx: FunctionContext, device: str) -> bool:
    """Remove what says of which kind a device's content is; False when that was refused."""
    return (await ask(ctx, "wipefs", "-a", device)).is_success


async def resize2fs(ctx: FunctionContext, device: str) -> bool:
    """Let the ext file system of a device fill it; False when that was refused."""
    return (await ask(ctx, "resize2fs", device)).is_success


def _asked(name: str) -> str:
    return f"get{_SETTINGS[name].replace('rw', 'ro')}"


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "dump": dump,
    "format": format_,
    "resize2fs": resize2fs,
    "tune": tune,
    "wipe": wipe,
}
