"""What `watch` means for a mount: it is remounted.

Source: Salt's state module `mount`, 3008: comments. Unlike Salt's, a plan does not remount anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def mod_watch(
    ctx: StateContext,
    name: str,
    sfun: str = "mounted",
    *,
    opts: str | list[str] = "defaults",
    mount: bool = True,
    **kwargs: Any,
) -> StateReturn:
    """Remount a file system because a watched state has changes; other functions of `mount` do nothing.

    Args:
        sfun: name of the state function.
        opts: the mount options.
        mount: whether the state mounts it; if not, nothing is remounted.
        **kwargs: the state's other arguments.
    """
    if sfun != "mounted" or not mount:
        return StateReturn.unchanged(name, f"Watch not supported in {sfun} at this time")
    if ctx.test:
        return StateReturn.planned(name, f"{name} is set to be remounted")
    try:
        await ctx.call("mount.remount", name, opts)
    except StateFailedError as error:
        return StateReturn.failed(name, f"{name} failed to remount: {error}")
    return StateReturn.unchanged(name, f"{name} remounted")
