"""Names of resources on the command line: `TYPE#ID` means `TYPE.CLASS#ID` if one class has this id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.deploy.provisioning.identity import parse_descriptor

if TYPE_CHECKING:
    from collections.abc import Collection

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.deploy.provisioning.identity import ResourceKey


def full_name(name: str, keys: Collection[ResourceKey]) -> str:
    """Return the full name of a resource that is named without its class; any other name as it is.

    Args:
        name: the name.
        keys: the resources that may be meant.
    """
    short = parse_descriptor(name)
    if short is None or short.class_ is not None or short.id is None:
        return name
    meant = [key for key in keys if (key.type, key.id) == (short.type, short.id)]
    return str(meant[0]) if len(meant) == 1 else name


def with_full_names(order: DeploymentOrder, keys: Collection[ResourceKey]) -> DeploymentOrder:
    """Return an order whose options name resources in full.

    Args:
        order: the order.
        keys: the resources of the deployment and of its environment.
    """

    def full(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(full_name(name, keys) for name in names)

    return msgspec.structs.replace(
        order,
        adopt=full(order.adopt),
        allow_replace=full(order.allow_replace),
        only=full(order.only),
        replace=full(order.replace),
        rotate=full(order.rotate),
        unprotect=full(order.unprotect),
    )
