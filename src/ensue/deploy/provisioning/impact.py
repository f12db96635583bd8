"""The impact of changed definitions and sources on active resources: which would change, and why.

Source: Humanitec, "Active Resources" (listing the active resources that a definition change affects).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ensue.deploy.provisioning.identity import WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.matching import Catalog

SourceChange: TypeAlias = Literal["source changed", "source cannot be read"]
"""What is new of the files outside of its definition that a resource is made from, such as a module."""

Reason: TypeAlias = Literal["another definition", "definition changed", "no definition"] | SourceChange
"""The reason for the change of a resource."""


class Impact(NamedTuple):
    """A resource that the next deployment would change.

    Args:
        context: its environment.
        key: the resource.
        was: the id of its current definition.
        becomes: the id of the definition that matches now; None: none matches.
        reason: see `Reason`.
        drivers: the driver that made it and the one that would replace it; None: it would not be replaced.
        dependents: the resources that depend on it, sorted.
        workloads: the workloads that depend on it, through others as well, sorted.
    """

    context: Context
    key: ResourceKey
    was: str
    becomes: str | None
    reason: Reason
    drivers: tuple[str, str] | None
    dependents: tuple[ResourceKey, ...]
    workloads: tuple[ResourceKey, ...]


def impacts(
    active: Iterable[tuple[Context, ActiveResource]],
    catalog: Catalog,
    is_same_driver: Callable[[str, str], bool],
    definition: str | None = None,
    sources: Mapping[tuple[Context, ResourceKey], SourceChange] = MappingProxyType({}),
) -> list[Impact]:
    """Return the active resources that would change, sorted by environment and key.

    Args:
        active: the active resources of the environments to check.
        catalog: the definitions as they are now.
        is_same_driver: whether two names mean one driver.
        definition: only resources that have this definition now or would get it; None: all.
        sources: the resources whose sources have changed since they were provisioned.
    """
    known = list(active)
    dependents: dict[tuple[Context, ResourceKey], list[ResourceKey]] = {}
    for context, record in known:
        for key in record.uses:
            dependents.setdefault((context, key), []).append(record.key)
    reached = _workloads(known)
    affected: list[Impact] = []
    for context, record in known:
        now = catalog.chosen(record.key, context)
        becomes = None if now is None else now.id
        reason: Reason
        if now is None:
            reason = "no definition"
        elif now.id != record.definition:
            reason = "another definition"
        elif now.digest != record.definition_digest:
            reason = "definition changed"
        elif (source := sources.get((context, record.key))) is not None:
            reason = source
        else:
            continue
        if definition is None or definition in {record.definition, becomes}:
            users = tuple(sorted(dependents.get((context, record.key), ())))
            drivers = None
            if now is not None and not is_same_driver(record.driver, now.driver):
                drivers = (record.driver, now.driver)
            workloads = tuple(sorted(reached.get((context, record.key), ())))
            affected.append(
                Impact(context, record.key, record.definition, becomes, reason, drivers, users, workloads)
            )
    return sorted(affected, key=lambda each: (each.context.org, each.context.app, each.context.env, each.key))


def _workloads(
    known: Iterable[tuple[Context, ActiveResource]],
) -> dict[tuple[Context, ResourceKey], list[ResourceKey]]:
    """Return the workloads that use each resource, through others as well."""
    uses = {(context, record.key): record.uses for context, record in known}
    workloads: dict[tuple[Context, ResourceKey], list[ResourceKey]] = {}
    for (context, key), own in uses.items():
        if key.type != WORKLOAD:
            continue
        seen = {key}
        waiting = list(own)
        while waiting:
            resource = waiting.pop()
            if resource not in seen:
                seen.add(resource)
                workloads.setdefault((context, resource), []).append(key)
                waiting += uses.get((context, resource), ())
    return workloads
