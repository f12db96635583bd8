"""State module `rabbitmq_cluster`: clusters of RabbitMQ nodes.

Source: Salt's state module `rabbitmq_cluster`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def joined(
    ctx: StateContext,
    name: str,
    host: str,
    user: str = "rabbit",
    ram_node: bool | None = None,
    runas: str | None = "root",
) -> StateReturn:
    """Join the target's node to the cluster of another node.

    Args:
        name: any name.
        host: host of the other node.
        user: name of the other node before the `@`.
        ram_node: join as a RAM node.
        runas: the user of the target who runs rabbitmqctl.

    Example:
        join:
          rabbitmq_cluster.joined:
            - host: rabbit-01

    Returns:
        `changes` has `old` and `new`; `new_state` has `name` and `node` (the other node).

    Raises:
        StateFailedError: the broker reports an error.
    """
    node = f"{user}@{host}"
    new_state: DataMap = {"name": name, "node": node}
    status: str = await ctx.call("rabbitmq.cluster_status", runas=runas)
    if node in status.replace(",", " ").replace("'", " ").split():
        return StateReturn.unchanged(name, "Already in cluster", new_state)
    changes: DataMap = {"old": "", "new": node}
    if ctx.test:
        return StateReturn.planned(name, f"Node is set to join cluster {node}", changes)
    await ctx.call("rabbitmq.join_cluster", host, user, ram_node, runas=runas)
    return StateReturn.changed(name, f"Node has joined cluster {node}", changes, new_state)


FUNCTIONS: Final = by_name(joined, join=joined)
