"""State module `rabbitmq_plugin`: plug-ins of a RabbitMQ broker.

Args:
    name: the plug-in.
    runas: the user of the target who runs rabbitmq-plugins.

Source: Salt's state module `rabbitmq_plugin`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def enabled(ctx: StateContext, name: str, *, runas: str | None = None) -> StateReturn:
    """Enable a plug-in.

    Example:
        rabbitmq_management:
          rabbitmq_plugin.enabled

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `enabled`.

    Raises:
        StateFailedError: the broker reports an error.
    """
    return await _be(ctx, name, runas, enable=True)


async def disabled(ctx: StateContext, name: str, *, runas: str | None = None) -> StateReturn:
    """Disable a plug-in; arguments and return are those of `enabled`.

    Example:
        rabbitmq_management:
          rabbitmq_plugin.disabled
    """
    return await _be(ctx, name, runas, enable=False)


async def _be(ctx: StateContext, name: str, runas: str | None, *, enable: bool) -> StateReturn:
    word = "enabled" if enable else "disabled"
    new_state: DataMap = {"name": name, "enabled": enable}
    is_enabled: bool = await ctx.call("rabbitmq.plugin_is_enabled", name, runas=runas)
    if is_enabled is enable:
        return StateReturn.unchanged(name, f"Plugin '{name}' is already {word}.", new_state)
    function = "rabbitmq.enable_plugin" if enable else "rabbitmq.disable_plugin"
    changes: DataMap = {"old": "", "new": name} if enable else {"old": name, "new": ""}
    if ctx.test:
        return StateReturn.planned(name, f"Plugin '{name}' is set to be {word}.", changes)
    await ctx.call(function, name, runas=runas)
    return StateReturn.changed(
        name,
        f"Plugin '{name}' was {word}.",
        changes,
        new_state,
        old_state={"name": name, "enabled": not enable},
    )


FUNCTIONS: Final = by_name(disabled, enabled)
ABSENT: Final = ("disabled",)
