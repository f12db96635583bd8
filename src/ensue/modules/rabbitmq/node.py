"""The node itself: its state, and the cluster that it is in.

Source: Salt's execution module `rabbitmq`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.rabbitmq.program import control

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext


async def status(ctx: FunctionContext, runas: str | None = None) -> str:
    """Return what `rabbitmqctl status` prints.

    Args:
        ctx: the target.
        runas: the user of the target who runs rabbitmqctl.
    """
    return await control(ctx, "status", runas=runas)


async def cluster_status(ctx: FunctionContext, runas: str | None = None) -> str:
    """Return what `rabbitmqctl cluster_status` prints."""
    return await control(ctx, "cluster_status", runas=runas)


async def stop_app(ctx: FunctionContext, runas: str | None = None) -> str:
    """Stop the broker; the node that it runs in stays."""
    return await control(ctx, "stop_app", runas=runas)


async def start_app(ctx: FunctionContext, runas: str | None = None) -> str:
    """Start the broker again; see `stop_app`."""
    return await control(ctx, "start_app", runas=runas)


async def reset(ctx: FunctionContext, runas: str | None = None) -> str:
    """Make the node forget all that it knows; the broker has to be stopped."""
    return await control(ctx, "reset", runas=runas)


async def force_reset(ctx: FunctionContext, runas: str | None = None) -> str:
    """Make the node forget all that it knows, its cluster unasked; see `reset`."""
    return await control(ctx, "force_reset", runas=runas)


async def join_cluster(
    ctx: FunctionContext,
    host: str,
    user: str = "rabbit",
    ram_node: bool | None = None,
    runas: str | None = None,
) -> dict[str, str]:
    """Make the node a member of another node's cluster; the broker is stopped meanwhile.

    Args:
        ctx: the target.
        host: the other node's host.
        user: the other node's name before the `@`.
        ram_node: keep what the node knows in memory only.
        runas: the user of the target who runs rabbitmqctl.
    """
    await stop_app(ctx, runas)
    try:
        words = ["--ram"] if ram_node else []
        said = await control(ctx, "join_cluster", *words, f"{user}@{host}", runas=runas)
    finally:
        await start_app(ctx, runas)
    return {"Join": said}


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "cluster_status": cluster_status,
    "force_reset": force_reset,
    "join_cluster": join_cluster,
    "reset": reset,
    "start_app": start_app,
    "status": status,
    "stop_app": stop_app,
}
"""By the name that states and templates use."""
