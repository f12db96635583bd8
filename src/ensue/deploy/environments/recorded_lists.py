"""The lists of a deployment that its records make known, for `ensue graph` after a deployment.

A list that is an output of a resource is known before a deployment if that resource would be left as it is,
because its record has the outputs. The graph is built again with the items, until no further list is known.
Nothing is provisioned, and nothing is stored.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.errors import DriverError, ExpansionError
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.environments.deployment_surroundings import surroundings_of
from ensue.deploy.provisioning.for_each import items_of
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.provisioner import Provisioner
from ensue.deploy.provisioning.requests import Requests
from ensue.deploy.provisioning.settling import settled
from ensue.deploy.provisioning.surroundings import Replacing
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.for_each import Item
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import ListName


async def grown_by_records(
    services: DeployingProject,
    built: BuiltGraph,
    context: Context,
    values: Mapping[str, str] | None,
    collector: Collector,
) -> BuiltGraph:
    """Return a resource graph with the resources of the lists that the records of its environment make known.

    Args:
        services: the project.
        built: the graph as it is without the records.
        context: the environment.
        values: values of the environment, for Score's types `environment` and `service`.
        collector: receives further warnings.

    Raises:
        CompileError: the graph cannot be built with the items of a list.
        StoreError: the records cannot be read.
    """
    if not built.graph.points:
        return built
    kept = await asyncio.to_thread(services.active.load, context)
    given: dict[ListName, Sequence[Item]] = {}
    while known := await _known(services, built, context, values, kept):
        given |= known
        again = Collector()
        built = await asyncio.to_thread(built.source.built, again, given)
        collector.add(diagnostic for diagnostic in again.warnings if diagnostic not in collector.warnings)
    return built


async def _known(
    services: DeployingProject,
    built: BuiltGraph,
    context: Context,
    values: Mapping[str, str] | None,
    kept: Mapping[ResourceKey, ActiveResource],
) -> dict[ListName, Sequence[Item]]:
    """Return the items of the lists that are outputs of resources which are left as they are."""
    graph = built.graph
    if not kept or not graph.points:
        return {}
    evaluated = GraphValues(graph, values)
    owner = await asyncio.to_thread(services.active.owner, is_kept=False)
    requests = Requests(context, services.settings.root, services.settings.cachedir / "drivers", owner)
    replacing = Replacing(requests.may_replace, built.source.destroy_first)
    run_services = surroundings_of(services, requests)
    provisioner = Provisioner(evaluated, kept, run_services, built.source.digests, replacing)
    waiting = {key for point in graph.points for key in point.waiting}
    await settled(graph.nodes, provisioner, waiting=waiting)
    owners = {node.key: node for node in graph.nodes}
    known: dict[ListName, Sequence[Item]] = {}
    for point in graph.points:
        try:
            value = evaluated.list_of(point, owners[point.name.owner])
            if not unknowns_in(value):
                known[point.name] = items_of(value)
        except (DriverError, ExpansionError):
            continue  # A deployment reports it; until then the list is drawn as one that is not known.
    return known
