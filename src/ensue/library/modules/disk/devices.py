"""Block devices: creating file systems on them, and the kernel's settings for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_ASKED: Final[tuple[str, ...]] = (
    "getro", "getsz", "getss", "getpbsz", "getiomin", "getioopt", "getalignoff", "getmaxsect", "getsize",
    "getsize64", "getra", "getfra",
)  # fmt: skip
_SETTINGS: Final = {
    "read-ahead": "ra", "filesystem-read-ahead": "fra", "read-only": "ro", "read-write": "rw",
}  # fmt: skip
_FAT_SIZES: Final = frozenset({12, 16, 32})


async def dump(ctx: FunctionContext, device: str, args: list[str] | None = None) -> dict[str, str]:
    """Return the kernel's settings for a device.

    Args:
        args: return only these keys.

    Example:
        ensue call '*' disk.dump /dev/vdb

    Returns:
        The output of each blockdev option, by its name (`getra`, `getro`, `getsize64`).

    Raises:
        StateFailedError: it is not a block device.
    """
    words = [f"--{name}" for name in _ASKED]
    answer = await must(ctx, "blockdev", *words, device, what=f"ask about {device}")
    settings: dict[str, str] = dict(zip(_ASKED, answer.stdout.split(), strict=False))
    return {name: settings[name] for name in args} if args else settings


async def tune(ctx: FunctionContext, device: str, **kwargs: Any) -> dict[str, str]:
    """Change the kernel's settings for a device.

    Args:
        **kwargs: `read-ahead` and `filesystem-read-ahead` in sectors; `read-only` or `read-write`, true.

    Example:
        ensue call '*' disk.tune /dev/vdb

    Returns:
        The changed settings, as `dump` returns them.

    Raises:
        StateFailedError: there is no such setting, or the kernel refuses the value.
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
    """Create a file system on a device; its content is lost.

    Args:
        device: the device, or a file.
        fs_type: the kind of file system.
        inode_size: for ext: bytes per inode; for xfs: the size of an inode.
        lazy_itable_init: for ext: whether the kernel initializes the inode tables later.
        fat: for fat: 12, 16 or 32.
        force: overwrite whatever is on the device.

    Example:
        ensue call '*' disk.format /dev/vdb

    Raises:
        StateFailedError: the target has no program for the file system, or the program refuses the device.
    """
    is_ext = fs_type.startswith("ext")
    words: list[str] = []
    if inode_size is not None and (is_ext or fs_type == "xfs"):
        words += ["-i", str(inode_size) if is_ext else f"size={inode_size}"]
    if lazy_itable_init is not None and is_ext:
        words += ["-E", f"lazy_itable_init={int(lazy_itable_init)}"]
    if fat in _FAT_SIZES and fs_type.endswith("fat"):
        words += ["-F", str(fat)]
    if force and (is_ext or fs_type in {"xfs", "btrfs"}):
        words.append("-F" if is_ext else "-f")
    # `mkfs -t` looks for this program in PATH only, which on Debian lacks /usr/sbin for ordinary users.
    await must(ctx, f"mkfs.{fs_type}", *words, device, what=f"make {fs_type} on {device}")
    return (await ask(ctx, "sync")).is_success


async def wipe(ctx: FunctionContext, device: str) -> bool:
    """Remove the signatures of file systems from a device; return False if that was refused.

    Example:
        ensue call '*' disk.wipe /dev/vdb
    """
    return (await ask(ctx, "wipefs", "-a", device)).is_success


async def resize2fs(ctx: FunctionContext, device: str) -> bool:
    """Grow the ext file system of a device to the device's size; return False if that was refused.

    Example:
        ensue call '*' disk.resize2fs /dev/vdb
    """
    return (await ask(ctx, "resize2fs", device)).is_success


def _asked(name: str) -> str:
    return f"get{_SETTINGS[name].replace('rw', 'ro')}"


OFFERED: Final = by_name(dump, format_, resize2fs, tune, wipe)
