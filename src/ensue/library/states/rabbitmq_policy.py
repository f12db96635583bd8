"""State module `rabbitmq_policy`: policies of a RabbitMQ broker.

Args:
    name: the policy.
    vhost: the virtual host.
    runas: the user of the target who runs rabbitmqctl.

Source: Salt's state module `rabbitmq_policy`, 3008. Unlike Salt's, an unchanged `apply_to` is not a change.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


async def present(
    ctx: StateContext,
    name: str,
    pattern: str,
    definition: str | DataMap,
    *,
    priority: int = 0,
    vhost: str = "/",
    runas: str | None = None,
    apply_to: str | None = None,
) -> StateReturn:
    """Create a policy, or change it.

    Args:
        pattern: regular expression for the names of queues and exchanges.
        definition: options of these, as a mapping or as JSON.
        priority: if several policies match, the one with the highest priority applies.
        apply_to: `queues`, `exchanges` or `all`.

    Example:
        ha:
          rabbitmq_policy.present:
            - vhost: shop
            - pattern: "^orders"
            - definition: {max-length: 1000}
            - apply_to: queues

    Returns:
        `changes` has `old` and `new`: the name of a new policy, or the differences (`Pattern`, `Definition`,
        `Applyto`, `Priority`); `new_state` has `name vhost pattern definition priority apply_to`.

    Raises:
        StateFailedError: the definition is not JSON, or the broker reports an error.
    """
    requested = _options(definition)
    policy = await _found(ctx, vhost, name, runas)
    updates: list[Data] = []
    if policy is not None:
        differs = {
            "Pattern": policy["pattern"] != pattern,
            "Definition": policy["definition"] != requested,
            "Applyto": apply_to is not None and policy["apply_to"] != apply_to,
            "Priority": policy["priority"] != int(priority),
        }
        updates = [word for word, is_different in differs.items() if is_different]
        if not updates:
            return StateReturn.unchanged(name, f"Policy {vhost} {name} is already present", policy)
    arguments = (vhost, name, pattern, json.dumps(requested))
    verb = "created" if policy is None else "updated"
    changes: DataMap = {"old": {}, "new": name} if policy is None else {"old": policy, "new": updates}
    before: DataMap = policy or {"name": name, "vhost": vhost, "exists": False}
    if ctx.test:
        comment = f"Policy {vhost} {name} is set to be {verb}"
        return StateReturn.planned(name, comment, changes, old_state=before)
    await ctx.call("rabbitmq.set_policy", *arguments, priority=priority, runas=runas, apply_to=apply_to)
    return StateReturn.changed(
        name,
        f"Policy {vhost} {name} was {verb}",
        changes,
        {
            "name": name,
            "vhost": vhost,
            "pattern": pattern,
            "definition": requested,
            "priority": int(priority),
            # Without it, the broker applies a policy to everything, even one that applied to less before.
            "apply_to": apply_to or "all",
        },
        old_state=before,
    )


async def absent(ctx: StateContext, name: str, *, vhost: str = "/", runas: str | None = None) -> StateReturn:
    """Remove a policy.

    Example:
        ha:
          rabbitmq_policy.absent:
            - vhost: shop

    Returns:
        `changes` has `old` and `new`; `new_state` has `name vhost exists`.

    Raises:
        StateFailedError: the broker reports an error.
    """
    gone: DataMap = {"name": name, "vhost": vhost, "exists": False}
    policy = await _found(ctx, vhost, name, runas)
    if policy is None:
        return StateReturn.unchanged(name, f"Policy '{vhost} {name}' is not present.", gone)
    changes: DataMap = {"old": name, "new": ""}
    if ctx.test:
        return StateReturn.planned(name, f"Policy '{vhost} {name}' will be removed.", changes)
    await ctx.call("rabbitmq.delete_policy", vhost, name, runas=runas)
    return StateReturn.changed(name, "Deleted", changes, gone, old_state=policy)


async def _found(ctx: StateContext, vhost: str, name: str, runas: str | None) -> DataMap | None:
    policies: dict[str, dict[str, DataMap]] = await ctx.call(
        "rabbitmq.list_policies", vhost=vhost, runas=runas
    )
    policy = policies.get(vhost, {}).get(name)
    if policy is None:
        return None
    text = policy.get("definition")
    return {
        "name": name,
        "vhost": vhost,
        "pattern": str(policy.get("pattern")),
        "definition": _options(text) if isinstance(text, str) else text,
        "priority": int(str(policy.get("priority") or 0)),
        "apply_to": str(policy.get("apply_to") or "all"),
    }


def _options(definition: str | DataMap) -> Data:
    if not isinstance(definition, str):
        return definition
    try:
        parsed: Data = json.loads(definition or "{}")
    except ValueError as error:
        raise StateFailedError(f"the definition of a policy must be JSON or a mapping: {error}") from None
    return parsed


FUNCTIONS: Final = placed(by_name(absent, present, make_only=()), "vhost")
