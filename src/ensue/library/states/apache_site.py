"""State module `apache_site`: sites of Apache on Debian.

Args:
    name: the site.

Source: Salt's state module `apache_site`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.states._apache import switched

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn


async def enabled(ctx: StateContext, name: str) -> StateReturn:
    """Enable a site of Apache.

    Example:
        shop:
          apache_site.enabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "site", "site", enable=True)


async def disabled(ctx: StateContext, name: str) -> StateReturn:
    """Disable a site of Apache.

    Example:
        000-default:
          apache_site.disabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "site", "site", enable=False)


FUNCTIONS: Final = by_name(disabled, enabled, make_only=("paths",))
ABSENT: Final = ("disabled",)
