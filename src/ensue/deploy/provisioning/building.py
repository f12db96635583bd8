"""Build the resource graph of a deployment: gather, match, refer, co-provision, select, order.

Pure: it takes definitions, workloads and a context, and returns a graph or raises all errors.

Source: resource graph document, "Building and executing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.provisioning.canonical import canonical, digest
from ensue.deploy.provisioning.expansion import NO_ITEMS
from ensue.deploy.provisioning.growth import GrowingGraph
from ensue.deploy.provisioning.growth_points import growth_points
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, IMPLICIT, ResourceKey, guresid
from ensue.deploy.provisioning.nodes import Dependency, GraphNode, ResourceGraph
from ensue.deploy.provisioning.params_checks import refuse_misfits
from ensue.deploy.provisioning.provisioning_order import in_order
from ensue.deploy.provisioning.selecting import follow_selectors, warn_of_missing_anchors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.deploy.provisioning.for_each import Item
    from ensue.deploy.provisioning.growth import GraphResource
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.matching import Catalog
    from ensue.deploy.provisioning.nodes import ListName, Selector
    from ensue.deploy.provisioning.params_schemas import ParamsSchema
    from ensue.deploy.provisioning.workloads import Deployment, Workload
    from ensue.language.collector import Collector


def build_graph(
    deployment: Deployment,
    catalog: Catalog,
    context: Context,
    collector: Collector,
    given: Mapping[ListName, Sequence[Item]] = NO_ITEMS,
) -> ResourceGraph:
    """Return the resource graph of a deployment.

    Args:
        deployment: the workloads and shared resources.
        catalog: the definitions.
        context: its environment.
        collector: receives warnings and errors.
        given: the items of lists that are outputs, as far as they are known.

    Raises:
        CompileError: the inputs or the graph have errors; it contains all of them.
    """
    growth = GrowingGraph(catalog, context, collector, given)
    _gather(growth, deployment, catalog, context, collector)
    growth.settle()
    selected = follow_selectors(growth)
    growth.follow_lists()
    growth.give_defaults()
    _refuse_unmatched(growth.resources.values(), catalog, context, collector)
    waiting = refuse_misfits(growth.resources.values(), context, collector)
    points = growth_points(growth, catalog, context)
    undecided = {selector for point in points for selector in point.selectors}
    warn_of_missing_anchors(growth, undecided, collector)
    ordered = in_order(
        sorted(growth.resources.values(), key=lambda resource: resource.key), points, collector
    )
    collector.stop_on_errors()
    for resource, selections in selected.items():
        for selector in [each for each in selections if (resource.key, each) in undecided]:
            del selections[selector]
    nodes = tuple(
        _node(resource, selected.get(resource, {}), context, waiting.get(resource.key))
        for resource in ordered
    )
    growth.release()
    return ResourceGraph(context=context, nodes=nodes, hash=_hash(context, nodes, catalog), points=points)


def _gather(
    growth: GrowingGraph, deployment: Deployment, catalog: Catalog, context: Context, collector: Collector
) -> None:
    """Add everything that files declare, before any definition is matched."""
    for type_ in IMPLICIT:
        key = ResourceKey(type_, DEFAULT_CLASS, type_)
        if definition := catalog.chosen(key, context):
            growth.add(key, definition.place)
    for request in sorted(deployment.shared, key=lambda request: request.key):
        growth.add(request.key, request.place, request.params)
    taken: dict[str, Workload] = {}
    for workload in sorted(
        deployment.workloads, key=lambda workload_: (workload_.name, workload_.place.document.path)
    ):
        first = taken.setdefault(workload.name, workload)
        if first is not workload:
            _refuse_second(workload, first, collector)
            continue
        # Declarations come before the placeholders that name them, so that messages point to them.
        needed = [growth.add(request.key, request.place, request.params) for request in workload.requests]
        node = growth.add(workload.key, workload.place)
        for request, resource in zip(workload.requests, needed, strict=True):
            growth.connect(node, resource, "workload", request.place)
        growth.add(workload.key, workload.place, workload.module)


def _refuse_second(workload: Workload, first: Workload, collector: Collector) -> None:
    there = first.place.span()
    collector.error(
        "E0815",
        f"two workloads are named {workload.name!r}",
        workload.place.span(),
        detail=f"the other one is at {there}",
        help="rename one of them",
        related=((there, "the first one"),),
    )


def _refuse_unmatched(
    resources: Iterable[GraphResource], catalog: Catalog, context: Context, collector: Collector
) -> None:
    for resource in resources:
        # The definition for this resource may be one that was refused.
        is_excused = collector.refused & {resource.key.type, "*"}
        if resource.definition is None and not is_excused:
            collector.error(
                "E0819",
                f"no definition matches {resource.key}",
                resource.place.span(),
                detail=catalog.near_misses(resource.key, context),
                help=catalog.help_for(resource.key),
            )


def _node(
    resource: GraphResource,
    selected: Mapping[Selector, tuple[ResourceKey, ...]],
    context: Context,
    params_schema: ParamsSchema | None,
) -> GraphNode:
    definition = resource.definition
    assert definition is not None  # noqa: S101 -- a resource without one was refused
    dependencies = sorted([Dependency(to.key, why) for to, why in resource.edges])
    return GraphNode(
        key=resource.key,
        name=str(resource.key),
        guresid=guresid(context, resource.key),
        definition=definition.id,
        driver=definition.driver,
        account=definition.account,
        params=resource.params,
        inputs=definition.inputs,
        dependencies=tuple(dependencies),
        depends_on=tuple(dict.fromkeys([dependency.to for dependency in dependencies])),
        selected=selected,
        places=(resource.place, definition.place),
        protect=definition.protect,
        retain=definition.retain,
        options=definition.options,
        foreign_id=resource.foreign_id,
        grown_for=resource.grown_for,
        params_schema=params_schema,
        ready=definition.ready,
    )


def _hash(context: Context, nodes: Iterable[GraphNode], catalog: Catalog) -> str:
    """Hash the graph: the context and, in order, everything that determines each node."""
    return digest(
        [
            [context.org, context.app, context.env, context.env_type],
            *(
                [
                    *node.key,
                    catalog.definitions[node.definition].digest,
                    "" if node.params is None else canonical(node.params.source).decode("utf-8", "replace"),
                    [[*dependency.to, dependency.why] for dependency in node.dependencies],
                ]
                for node in nodes
            ),
        ]
    )
