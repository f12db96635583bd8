"""Shared by the `apache_…` state modules: enables and disables a module, configuration or site.

This module has no state functions.

Source: Salt's state modules `apache_module`, `apache_conf` and `apache_site`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def switched(ctx: StateContext, name: str, word: str, title: str, *, enable: bool) -> StateReturn:
    """Enable or disable a module, configuration or site of Apache.

    Args:
        name: its name.
        word: `mod`, `conf` or `site`, as in the names of the execution functions.
        title: its kind, for comments.
        enable: whether to enable it.

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    done = "enabled" if enable else "disabled"
    new_state: DataMap = {"name": name, "enabled": enable}
    if await ctx.call(f"apache.check_{word}_enabled", name) is enable:
        return StateReturn.unchanged(name, f"{name} already {done}.", new_state)
    changes: DataMap = {"old": None, "new": name} if enable else {"old": name, "new": None}
    if ctx.test:
        return StateReturn.planned(name, f"Apache {title} {name} is set to be {done}.", changes)
    answer: dict[str, Any] = await ctx.call(f"apache.a2{'en' if enable else 'dis'}{word}", name)
    status = str(answer["Status"])
    if await ctx.call(f"apache.check_{word}_enabled", name) is not enable:
        comment = f"Failed to {done.removesuffix('d')} {name} Apache {title} ({status})"
        return StateReturn.failed(name, comment)
    return StateReturn.changed(name, "", changes, new_state, old_state={"name": name, "enabled": not enable})
