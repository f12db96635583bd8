"""The argument `save` of the `iptables` states: saves the rules for the next boot."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext

Save = bool | str
"""Whether to save the rules; a text is the file to save them in."""


async def needs_saving(ctx: StateContext, save: Save | None, family: str) -> bool:
    """Return whether the rules must be saved and are not."""
    return bool(save) and not await ctx.call("iptables.is_saved", _file(save), family)


async def save_rules(ctx: StateContext, save: Save | None, family: str) -> str:
    """Save the rules if that is requested; return a comment, empty if nothing was done."""
    if not save:
        return ""
    done: str = await ctx.call("iptables.save", _file(save), family)
    return done


def _file(save: Save | None) -> str | None:
    return save if isinstance(save, str) else None
