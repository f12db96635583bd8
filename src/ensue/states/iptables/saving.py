"""The argument `save` of the states of iptables: keep the rules for the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext

Save = bool | str
"""Whether to keep the rules; a text is the file to keep them in."""


async def needs_saving(ctx: StateContext, save: Save | None, family: str) -> bool:
    """Say whether rules are to be kept and are not."""
    return bool(save) and not await ctx.call("iptables.is_saved", _file(save), family)


async def save_rules(ctx: StateContext, save: Save | None, family: str) -> str:
    """Keep the rules if that is asked for; return what was done, an empty text for nothing."""
    if not save:
        return ""
    done: str = await ctx.call("iptables.save", _file(save), family)
    return done


def _file(save: Save | None) -> str | None:
    return save if isinstance(save, str) else None
