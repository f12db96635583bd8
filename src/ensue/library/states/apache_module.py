"""State module `apache_module`: modules of Apache on Debian.

Args:
    name: the module.

Source: Salt's state module `apache_module`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.states._apache import switched

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn


async def enabled(ctx: StateContext, name: str) -> StateReturn:
    """Enable a module of Apache.

    Example:
        rewrite:
          apache_module.enabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "mod", "module", enable=True)


async def disabled(ctx: StateContext, name: str) -> StateReturn:
    """Disable a module of Apache.

    Example:
        autoindex:
          apache_module.disabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.
    """
    return await switched(ctx, name, "mod", "module", enable=False)


FUNCTIONS: Final = by_name(disabled, enabled, make_only=("paths",))
ABSENT: Final = ("disabled",)
