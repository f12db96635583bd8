"""State module `apache_conf`: configurations of Apache on Debian.

Args:
    name: the configuration.

Source: Salt's state module `apache_conf`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.states._apache import switched

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn


async def enabled(ctx: StateContext, name: str) -> StateReturn:
    """Enable a configuration of Apache.

    Example:
        security:
          apache_conf.enabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "conf", "conf", enable=True)


async def disabled(ctx: StateContext, name: str) -> StateReturn:
    """Disable a configuration of Apache.

    Example:
        serve-cgi-bin:
          apache_conf.disabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "conf", "conf", enable=False)


FUNCTIONS: Final = by_name(disabled, enabled, make_only=("paths",))
ABSENT: Final = ("disabled",)
