"""The node itself: its status and its cluster.

Source: Salt's execution module `rabbitmq`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.rabbitmq.program import control

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def status(ctx: FunctionContext, runas: str | None = None) -> str:
    """Return the output of `rabbitmqctl status`."""
    return await control(ctx, "status", runas=runas)


async def cluster_status(ctx: FunctionContext, runas: str | None = None) -> str:
    """Return the output of `rabbitmqctl cluster_status`."""
    return await control(ctx, "cluster_status", runas=runas)


async def stop_app(ctx: FunctionContext, runas: str | None = None) -> str:
    """Stop the broker application; its Erlang node keeps running."""
    return await control(ctx, "stop_app", runas=runas)


async def start_app(ctx: FunctionContext, runas: str | None = None) -> str:
    """Start the broker application after `stop_app`."""
    return await control(ctx, "start_app", runas=runas)


async def reset(ctx: FunctionContext, runas: str | None = None) -> str:
    """Reset the node: delete all its data and take it out of its cluster. The broker must be stopped."""
    return await control(ctx, "reset", runas=runas)


async def force_reset(ctx: FunctionContext, runas: str | None = None) -> str:
    """Reset the node without contacting its cluster. The broker must be stopped."""
    return await control(ctx, "force_reset", runas=runas)


async def join_cluster(
    ctx: FunctionContext,
    host: str,
    user: str = "rabbit",
    ram_node: bool | None = None,
    runas: str | None = None,
) -> dict[str, str]:
    """Join the cluster of another node; the broker is stopped meanwhile.

    Args:
        host: the other node's host.
        user: the part of the other node's name before the `@`.
        ram_node: keep the node's data in memory only.

    Example:
        ensue call '*' rabbitmq.join_cluster rabbit-01
    """
    await stop_app(ctx, runas)
    try:
        words = ["--ram"] if ram_node else []
        output = await control(ctx, "join_cluster", *words, f"{user}@{host}", runas=runas)
    finally:
        await start_app(ctx, runas)
    return {"Join": output}


FUNCTIONS: Final = by_name(cluster_status, force_reset, join_cluster, reset, start_app, status, stop_app)
