"""Booleans: switches that the policy of SELinux has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.contracts.context import FunctionContext

_BOOLEAN: Final = re.compile(r"^(\S+)\s+\((\w+)\s*,\s*(\w+)\)\s*(.*)$", re.MULTILINE)


async def list_sebool(ctx: FunctionContext) -> dict[str, dict[str, str]]:
    """Return by boolean `State`, `Default` and `Description`.

    Raises:
        StateFailedError: the target has no semanage.
    """
    said = await must(ctx, "semanage", "boolean", "--list", what="list the booleans of SELinux")
    keys = ("State", "Default", "Description")
    found = _BOOLEAN.finditer(said.stdout)
    return {match[1]: dict(zip(keys, match.groups()[1:], strict=True)) for match in found}


async def getsebool(ctx: FunctionContext, boolean: str) -> dict[str, str]:
    """Return what `list_sebool` says of one boolean; empty when there is none."""
    return (await list_sebool(ctx)).get(boolean, {})


async def setsebool(ctx: FunctionContext, boolean: str, value: str | bool, persist: bool = False) -> bool:
    """Set a boolean; False when it was refused."""
    return await setsebools(ctx, {boolean: value}, persist)


async def setsebools(ctx: FunctionContext, pairs: Mapping[str, str | bool], persist: bool = False) -> bool:
    """Set booleans; False when they were refused.

    Args:
        ctx: the target.
        pairs: by boolean `on` or `off`.
        persist: also for the next start.
    """
    words = [f"{name}={_word(value)}" for name, value in pairs.items()]
    return (await ask(ctx, "setsebool", *(["-P"] if persist else []), *words)).is_success


def _word(value: str | bool) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else value


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "getsebool": getsebool,
    "list_sebool": list_sebool,
    "setsebool": setsebool,
    "setsebools": setsebools,
}
