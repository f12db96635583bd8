"""Policies, which set options of the queues and exchanges of a virtual host.

Args:
    name: the policy.

Source: Salt's execution module `rabbitmq`, 3008.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.rabbitmq.program import control, listed

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def list_policies(
    ctx: FunctionContext, vhost: str = "/", runas: str | None = None
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the policies of a virtual host, as `{vhost: {name: policy}}`.

    Returns:
        Each policy has `pattern`, `apply_to`, `definition` (JSON) and `priority`.
    """
    policies: dict[str, dict[str, dict[str, Any]]] = {}
    for row in await listed(ctx, "list_policies", "-p", vhost, runas=runas):
        policies.setdefault(str(row.get("vhost", vhost)), {})[str(row.get("name"))] = {
            "pattern": row.get("pattern"),
            "apply_to": row.get("apply-to"),
            "definition": row.get("definition"),
            "priority": row.get("priority", 0),
        }
    return policies


async def policy_exists(ctx: FunctionContext, vhost: str, name: str, runas: str | None = None) -> bool:
    """Return whether a virtual host has a policy.

    Example:
        ensue call '*' rabbitmq.policy_exists shop ha
    """
    return name in (await list_policies(ctx, vhost, runas)).get(vhost, {})


async def set_policy(
    ctx: FunctionContext,
    vhost: str,
    name: str,
    pattern: str,
    definition: str | DataMap,
    priority: int | None = None,
    runas: str | None = None,
    apply_to: str | None = None,
) -> dict[str, str]:
    """Create or replace a policy.

    Args:
        pattern: a regular expression for the names that it applies to.
        definition: the options, as a mapping or as JSON.
        priority: of several matching policies, the one with the highest priority applies.
        apply_to: `queues`, `exchanges` or `all`.

    Example:
        ensue call '*' rabbitmq.set_policy / mirrored '^web' '{"max-length": 1000}'
    """
    words = ["set_policy", "-p", vhost]
    words += ["--priority", str(priority)] if priority else []
    words += ["--apply-to", apply_to] if apply_to else []
    text = definition if isinstance(definition, str) else json.dumps(definition)
    return {"Set": await control(ctx, *words, name, pattern, text, runas=runas)}


async def delete_policy(
    ctx: FunctionContext, vhost: str, name: str, runas: str | None = None
) -> dict[str, str]:
    """Delete a policy.

    Example:
        ensue call '*' rabbitmq.delete_policy shop ha
    """
    return {"Deleted": await control(ctx, "clear_policy", "-p", vhost, name, runas=runas)}


FUNCTIONS: Final = by_name(delete_policy, list_policies, policy_exists, set_policy)
