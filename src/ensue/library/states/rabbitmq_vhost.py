"""State module `rabbitmq_vhost`: virtual hosts of a RabbitMQ broker.

Args:
    name: the virtual host.

Source: Salt's state module `rabbitmq_vhost`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(ctx: StateContext, name: str) -> StateReturn:
    """Create a virtual host.

    Example:
        shop:
          rabbitmq_vhost.present

    Returns:
        `changes` has `old` and `new`; `new_state` has `name`.

    Raises:
        StateFailedError: the broker cannot be reached, or reports an error.
    """
    if await ctx.call("rabbitmq.vhost_exists", name):
        return StateReturn.unchanged(name, f"Virtual Host '{name}' already exists.", {"name": name})
    changes: DataMap = {"old": "", "new": name}
    before: DataMap = {"name": name, "exists": False}
    if ctx.test:
        comment = f"Virtual Host '{name}' will be created."
        return StateReturn.planned(name, comment, changes, old_state=before)
    await ctx.call("rabbitmq.add_vhost", name)
    comment = f"Virtual Host '{name}' was created."
    return StateReturn.changed(name, comment, changes, {"name": name}, old_state=before)


async def absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a virtual host with its content.

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
        return StateReturn.unchanged(name, f"Virtual Host '{name}' is not present.", gone)
    changes: DataMap = {"old": name, "new": ""}
    if ctx.test:
        return StateReturn.planned(name, f"Virtual Host '{name}' will be removed.", changes)
    await ctx.call("rabbitmq.delete_vhost", name)
    return StateReturn.changed(
        name, f"Virtual Host '{name}' was removed.", changes, gone, old_state={"name": name}
    )


FUNCTIONS: Final = by_name(absent, present, make_only=())
