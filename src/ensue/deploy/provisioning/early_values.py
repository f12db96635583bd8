"""The values of placeholders that are known while the graph is built, before anything is provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.identity import context_values, guresid
from ensue.deploy.provisioning.placeholder_values import Constant, ContextField, EachValue, Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.deploy.provisioning.identity import Context, Key
    from ensue.deploy.provisioning.placeholder_values import Meaning


def early_values(owner: Key, context: Context) -> Callable[[Meaning], Any]:
    """Return a function for the values of a resource's placeholders: `Unknown` for those not known yet.

    Args:
        owner: the resource.
        context: its environment.
    """
    fields = resource_context(owner, context)

    def value_of(meaning: Meaning) -> Any:
        match meaning:
            case Constant(value) | EachValue(value):
                return value
            case ContextField(name) if fields[name]:
                return fields[name]
            case Reference(target, "guresid"):
                return guresid(context, target.resolved(owner))
            case Reference(target, "id"):
                return target.resolved(owner).id
            case _:
                return Unknown("")

    return value_of


def resource_context(key: Key, context: Context) -> dict[str, str]:
    """Return the fields of the context of a resource, its guresid included."""
    return {**context_values(context, key), "res.guresid": guresid(context, key)}
