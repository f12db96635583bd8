"""Virtual hosts.

Source: Salt's execution module `rabbitmq`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.rabbitmq.program import control, listed

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def list_vhosts(ctx: FunctionContext, runas: str | None = None) -> list[str]:
    """Return the names of the virtual hosts."""
    return [str(row["name"]) for row in await listed(ctx, "list_vhosts", runas=runas) if "name" in row]


async def vhost_exists(ctx: FunctionContext, name: str, runas: str | None = None) -> bool:
    """Return whether a virtual host exists.

    Args:
        name: the virtual host.

    Example:
        ensue call '*' rabbitmq.vhost_exists shop
    """
    return name in await list_vhosts(ctx, runas)


async def add_vhost(ctx: FunctionContext, vhost: str, runas: str | None = None) -> dict[str, str]:
    """Add a virtual host.

    Example:
        ensue call '*' rabbitmq.add_vhost shop
    """
    return {"Added": await control(ctx, "add_vhost", vhost, runas=runas)}


async def delete_vhost(ctx: FunctionContext, vhost: str, runas: str | None = None) -> dict[str, str]:
    """Delete a virtual host with everything in it.

    Example:
        ensue call '*' rabbitmq.delete_vhost shop
    """
    return {"Deleted": await control(ctx, "delete_vhost", vhost, runas=runas)}


FUNCTIONS: Final = by_name(add_vhost, delete_vhost, list_vhosts, vhost_exists)
