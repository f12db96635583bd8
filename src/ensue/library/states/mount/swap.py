"""`mount.swap`: enables a swap area, now and at boot."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def swap(ctx: StateContext, name: str, persist: bool = True, config: str = "/etc/fstab") -> StateReturn:
    """Enable a swap area, and add it to the fstab.

    Args:
        name: the device or file, prepared by `mkswap`.
        persist: add it to the fstab.

    Example:
        /swapfile:
          mount.swap

    Returns:
        `changes` has the data of the kernel about a newly enabled area (`type size used priority`), and
        `persist` (`new`, `update`); `new_state` has `name device`.

    Raises:
        StateFailedError: it is not a swap area.
    """
    device = await _device(ctx, name)
    is_used = device in await ctx.call("mount.swaps")
    changes: DataMap = {}
    if is_used:
        comments = [f"Swap {name} already active"]
    elif ctx.test:
        comments = [f"Swap {name} is set to be activated"]
    else:
        done = await ctx.call("mount.swapon", device)
        if "stats" not in done:
            return StateReturn.failed(name, f"Swap {name} failed to activate")
        changes |= done["stats"]
        comments = [f"Swap {name} activated"]
    outcome = "present"
    # An entry of this name that is not for swap is left alone, as in Salt.
    line = (await ctx.call("mount.fstab", config)).get("none") if persist else None
    if persist and (line is None or line["device"] != name or line["fstype"] == "swap"):
        outcome = await ctx.call(
            "mount.set_fstab", "none", name, "swap", opts=["defaults"], config=config, test=ctx.test
        )
    if outcome != "present":
        verb = "be added to" if outcome == "new" else "be updated in"
        written = "Added new entry to the fstab." if outcome == "new" else "Updated the entry in the fstab."
        comments.append(f"Swap {name} is set to {verb} the fstab" if ctx.test else written)
        if not ctx.test:
            changes["persist"] = "new" if outcome == "new" else "update"
    if ctx.test and (not is_used or outcome != "present"):
        return StateReturn.planned(name, ". ".join(comments), changes)
    return StateReturn.changed(name, ". ".join(comments), changes, {"name": name, "device": device})


async def _device(ctx: StateContext, name: str) -> str:
    """Return the kernel's name of a device, with symlinks resolved."""
    link = await ctx.connection.stat(name)
    if link is None or link.kind != "symlink":
        return name
    if link.link_target.startswith("/"):
        return link.link_target
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), link.link_target))
