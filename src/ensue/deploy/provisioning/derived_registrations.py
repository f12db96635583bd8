"""Register the resources that a driver returns as targetable, derived from a resource of the graph."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.errors import DriverError
from ensue.core.model.resource import RegistrationRequest
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.model.data import DataMap
    from ensue.deploy.provisioning.identity import Context, ResourceKey


async def register_derived(
    registry: DerivedRegistry, context: Context, key: ResourceKey, registers: Mapping[str, DataMap]
) -> None:
    """Register the resources that a driver names; confirm those that are already registered.

    Args:
        registry: the registry as the resource's state sees it.
        context: the environment of the resource.
        key: the resource of the graph, which they are derived from.
        registers: SRN to configuration.

    Raises:
        DriverError: a name is not an SRN.
        ResourceError: a configuration is refused, or an id is taken.
    """
    try:
        requests = [
            RegistrationRequest(
                srn=Srn.parse(name),
                config=config,
                source=source_of(context, key),
                source_grains={"status": "succeeded"},
            )
            for name, config in registers.items()
        ]
    except ValueError as error:
        raise DriverError(f"{key} registers something that is not a resource: {error}") from None
    await asyncio.to_thread(registry.register_many, requests)


async def forget_derived(
    registry: DerivedRegistry, context: Context, key: ResourceKey, names: Iterable[str]
) -> None:
    """Forget resources that a driver registered in an earlier deployment and no longer registers.

    Args:
        registry: the registry.
        context: the environment of the resource.
        key: the resource of the graph.
        names: SRNs; one that another state has registered in the meantime stays.
    """
    source = str(source_of(context, key))

    def forget() -> None:
        for srn in map(Srn.parse, names):
            record = registry.record(srn)
            if record is not None and str(record.source) == source:
                registry.forget(srn)

    await asyncio.to_thread(forget)


def derived_sources(
    registry: DerivedRegistry, context: Context, keys: Iterable[ResourceKey]
) -> set[ResourceKey]:
    """Return those of the given resources from which anything is derived; this blocks."""
    by_source = {source_of(context, key): key for key in keys}
    return {by_source[source] for source in registry.sources_among(by_source)}


async def invalidate_derived(registry: DerivedRegistry, context: Context, key: ResourceKey) -> None:
    """Invalidate everything that was derived from a resource of the graph."""
    source = source_of(context, key)
    await asyncio.to_thread(registry.invalidate, source, reason=f"{key} was destroyed")


def source_of(context: Context, key: ResourceKey) -> Srn:
    """Return the name of a resource of the graph in provenance: `TYPE:[ORG/]APP/ENV/CLASS#ID`."""
    return Srn(key.type.replace("-", "_"), f"{context.environment}/{key.class_}#{key.id}")
