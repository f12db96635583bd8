"""The mode of SELinux, enforcing, permissive or disabled: now and after the next boot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_CONFIG: Final = "/etc/selinux/config"
_FOLDERS: Final = ("/sys/fs/selinux", "/selinux")
_LINE: Final = re.compile(r"^SELINUX=[ \t]*(\S*)[ \t]*$", re.MULTILINE)
_NUMBERS: Final = {"enforcing": "1", "permissive": "0", "disabled": "0"}


async def selinux_fs_path(ctx: FunctionContext) -> str | None:
    """Return the mount point of selinuxfs, None if the kernel has no SELinux."""
    for folder in _FOLDERS:
        if await ctx.connection.stat(f"{folder}/enforce", follow=True) is not None:
            return folder
    return None


async def getenforce(ctx: FunctionContext) -> str:
    """Return the current mode: `Enforcing`, `Permissive` or `Disabled`."""
    folder = await selinux_fs_path(ctx)
    if folder is None:
        return "Disabled"
    content = await ctx.connection.read(f"{folder}/enforce")
    return "Permissive" if content.strip() == b"0" else "Enforcing"


async def getconfig(ctx: FunctionContext) -> str | None:
    """Return the mode after the next boot, None if it is not configured."""
    if await ctx.connection.stat(_CONFIG, follow=True) is None:
        return None
    match = _LINE.search((await ctx.connection.read(_CONFIG)).decode("utf-8", "replace"))
    return match[1].capitalize() if match else None


async def setenforce(ctx: FunctionContext, mode: str) -> str:
    """Set the mode, now and for later boots.

    Args:
        mode: `enforcing`, `permissive` or `disabled`; the last takes effect at the next boot.

    Example:
        ensue call '*' selinux.setenforce enforcing

    Returns:
        The current mode.

    Raises:
        StateFailedError: the mode is unknown, SELinux is not configured, or the kernel refuses it.
    """
    word = mode.lower()
    if word not in _NUMBERS:
        raise StateFailedError(f"Invalid mode {mode}: use enforcing, permissive or disabled")
    if await ctx.connection.stat(_CONFIG, follow=True) is None:
        raise StateFailedError(f"{ctx.srn} has no {_CONFIG}: SELinux is not installed there")
    if await getenforce(ctx) != "Disabled":
        await must(ctx, "setenforce", _NUMBERS[word], what=f"set the mode of SELinux to {mode}")
    before = (await ctx.connection.read(_CONFIG)).decode("utf-8", "surrogateescape")
    after = _LINE.sub(f"SELINUX={word}", before)
    if not _LINE.search(before):
        after = f"{before.rstrip()}\nSELINUX={word}\n".lstrip()
    if after != before:
        await ctx.connection.write(_CONFIG, after.encode("utf-8", "surrogateescape"))
    return await getenforce(ctx)


OFFERED: Final = by_name(getconfig, getenforce, selinux_fs_path, setenforce)
