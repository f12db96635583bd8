"""The values of placeholders that are known while the graph is built, before anything is provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.identity import context_values, guresid
from ensue.deploy.provisioning.placeholder_values import (
    ContextField,
    EachValue,
    FileConstant,
    ResourceReference,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.placeholders import Placeholder


def early_values(owner: ResourceKey, context: Context) -> Callable[[Placeholder], Any]:
    """Return a function for the values of a resource's placeholders: `Unknown` for those not known yet.

    Args:
        owner: the resource.
        context: its environment.
    """
    fields = resource_context(owner, context)

    def value_of(placeholder: Placeholder) -> Any:
        match placeholder.meaning:
            case FileConstant(value) | EachValue(value):
                return value
            case ContextField(name) if fields[name]:
                return fields[name]
            case ResourceReference(target, "guresid"):
                return guresid(context, target.resolved(owner))
            case ResourceReference(target, "id"):
                return target.resolved(owner).id
            case _:
                return Unknown("")

    return value_of


def resource_context(key: ResourceKey, context: Context) -> dict[str, str]:
    """Return the fields of the context of a resource, its guresid included."""
    return {**context_values(context, key), "res.guresid": guresid(context, key)}
