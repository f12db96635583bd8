"""State module `rabbitmq_vhost`: virtual hosts of a RabbitMQ broker.

Source: Salt's state module `rabbitmq_vhost`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.states._rabbitmq import changed, unchanged

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn


async def present(ctx: StateContext, name: str) -> StateReturn:
    """Create a virtual host.

    Args:
        name: the virtual host.

    Example:
        shop:
          rabbitmq_vhost.present

    Returns:
        `changes` has `old` and `new`; `new_state` has `name`.

    Raises:
        StateFailedError: the broker cannot be reached, or reports an error.
    """
    if await ctx.call("rabbitmq.vhost_exists", name):
        return unchanged(name, f"Virtual Host '{name}' already exists.", {"name": name})
    return await changed(
        ctx,
        name,
        {"old": "", "new": name},
        plan=f"Virtual Host '{name}' will be created.",
        done=f"Virtual Host '{name}' was created.",
        act=lambda: ctx.call("rabbitmq.add_vhost", name),
        new_state={"name": name},
        old_state={"name": name, "exists": False},
    )


async def absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a virtual host with its content.

    Args:
        name: the virtual host.

    Example:
        shop:
          rabbitmq_vhost.absent

    Returns:
        `changes` has `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the broker cannot be reached, or reports an error.
    """
    gone: DataMap = {"name": name, "exists": False}
    if not await ctx.call("rabbitmq.vhost_exists", name):
        return unchanged(name, f"Virtual Host '{name}' is not present.", gone)
    return await changed(
        ctx,
        name,
        {"old": name, "new": ""},
        plan=f"Virtual Host '{name}' will be removed.",
        done=f"Virtual Host '{name}' was removed.",
        act=lambda: ctx.call("rabbitmq.delete_vhost", name),
        new_state=gone,
        old_state={"name": name},
    )


FUNCTIONS: Final = by_name(absent, present)
