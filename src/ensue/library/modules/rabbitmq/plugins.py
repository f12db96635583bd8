"""The broker's plug-ins, through `rabbitmq-plugins`.

Args:
    runas: the user of the target who runs rabbitmq-plugins.
    name: the plug-in.

Source: Salt's execution module `rabbitmq`, 3008; rabbitmq-plugins(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def list_available_plugins(ctx: FunctionContext, runas: str | None = None) -> list[str]:
    """Return the names of all plug-ins, enabled or not."""
    return (await _run(ctx, "list", "--minimal", runas=runas)).split()


async def list_enabled_plugins(ctx: FunctionContext, runas: str | None = None) -> list[str]:
    """Return the names of the enabled plug-ins, including those that other plug-ins require."""
    return (await _run(ctx, "list", "--minimal", "--enabled", runas=runas)).split()


async def plugin_is_enabled(ctx: FunctionContext, name: str, runas: str | None = None) -> bool:
    """Return whether a plug-in is enabled.

    Example:
        ensue call '*' rabbitmq.plugin_is_enabled rabbitmq_management
    """
    return name in await list_enabled_plugins(ctx, runas)


async def enable_plugin(ctx: FunctionContext, name: str, runas: str | None = None) -> dict[str, str]:
    """Enable a plug-in and those that it requires.

    Example:
        ensue call '*' rabbitmq.enable_plugin rabbitmq_management
    """
    return {"Enabled": await _run(ctx, "enable", name, runas=runas)}


async def disable_plugin(ctx: FunctionContext, name: str, runas: str | None = None) -> dict[str, str]:
    """Disable a plug-in.

    Example:
        ensue call '*' rabbitmq.disable_plugin rabbitmq_management
    """
    return {"Disabled": await _run(ctx, "disable", name, runas=runas)}


async def _run(ctx: FunctionContext, *words: str, runas: str | None) -> str:
    what = f"run `rabbitmq-plugins {words[0]}`"
    answer = await must(ctx, "rabbitmq-plugins", "--quiet", *words, what=what, runas=runas)
    return answer.stdout.strip()


FUNCTIONS: Final = by_name(
    disable_plugin, enable_plugin, list_available_plugins, list_enabled_plugins, plugin_is_enabled
)
