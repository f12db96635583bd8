"""SELinux booleans: switches of the policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

_BOOLEAN: Final = re.compile(r"^(\S+)\s+\((\w+)\s*,\s*(\w+)\)\s*(.*)$", re.MULTILINE)


async def list_sebool(ctx: FunctionContext) -> dict[str, dict[str, str]]:
    """Return `State`, `Default` and `Description` of each boolean, by name.

    Raises:
        StateFailedError: the target has no semanage.
    """
    answer = await must(ctx, "semanage", "boolean", "--list", what="list the SELinux booleans")
    keys = ("State", "Default", "Description")
    matches = _BOOLEAN.finditer(answer.stdout)
    return {match[1]: dict(zip(keys, match.groups()[1:], strict=True)) for match in matches}


async def getsebool(ctx: FunctionContext, boolean: str) -> dict[str, str]:
    """Return `State`, `Default` and `Description` of a boolean; empty if there is no such boolean.

    Args:
        boolean: the boolean.

    Example:
        ensue call '*' selinux.getsebool httpd_can_network_connect
    """
    return (await list_sebool(ctx)).get(boolean, {})


async def setsebool(ctx: FunctionContext, boolean: str, value: str | bool, persist: bool = False) -> bool:
    """Set a boolean; returns False if it was refused.

    Args:
        boolean: the boolean.
        value: `on` or `off`, or a boolean.
        persist: set it for later boots, too.

    Example:
        ensue call '*' selinux.setsebool httpd_can_network_connect on
    """
    return await setsebools(ctx, {boolean: value}, persist)


async def setsebools(ctx: FunctionContext, pairs: Mapping[str, str | bool], persist: bool = False) -> bool:
    """Set booleans; returns False if they were refused.

    Args:
        pairs: a mapping of booleans to `on` or `off`.
        persist: set them for later boots, too.

    Example:
        ensue call '*' selinux.setsebools '{httpd_can_network_connect: true}' persist=true
    """
    words = [f"{name}={_word(value)}" for name, value in pairs.items()]
    return (await ask(ctx, "setsebool", *(["-P"] if persist else []), *words)).is_success


def _word(value: str | bool) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else value


OFFERED: Final = by_name(getsebool, list_sebool, setsebool, setsebools)
