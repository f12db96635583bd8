"""State module `keyboard`: the keyboard layout of the target's console, and that of its X server.

Args:
    name: the layout (`de`).

Source: Salt's state module `keyboard`, 3008: results, changes and texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def system(ctx: StateContext, name: str) -> StateReturn:
    """Set the keyboard layout of the console, from the next boot on.

    Example:
        de:
          keyboard.system

    Returns:
        `changes` has `layout`.

    Raises:
        RemoteFileError: the file that names the layout cannot be read or written.
    """
    return await _have(ctx, name, "sys", "System layout", "system keyboard layout")


async def xorg(ctx: StateContext, name: str) -> StateReturn:
    """Set the keyboard layout of the running X server.

    Example:
        de:
          keyboard.xorg

    Returns:
        `changes` has `layout`.

    Raises:
        StateFailedError: the target has no X server, or no program `setxkbmap`.
    """
    return await _have(ctx, name, "x", "XOrg layout", "XOrg keyboard layout")


async def _have(ctx: StateContext, name: str, place: str, subject: str, what: str) -> StateReturn:
    if await ctx.call(f"keyboard.get_{place}") == name:
        return StateReturn.unchanged(name, f"{subject} {name} already set", {"layout": name})
    if ctx.test:
        return StateReturn.planned(name, f"{subject} {name} needs to be set")
    try:
        await ctx.call(f"keyboard.set_{place}", name)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to set {what}: {error}")
    return StateReturn.changed(name, f"Set {what} {name}", {"layout": name}, {"layout": name})


FUNCTIONS: Final = by_name(system, xorg, make_only=())
