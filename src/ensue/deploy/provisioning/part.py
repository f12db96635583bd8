"""A part of a resource graph: some resources, and all that they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.provisioning.identity import parse_descriptor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ListName, ResourceGraph


def with_dependencies(nodes: Sequence[GraphNode], names: Collection[str]) -> tuple[GraphNode, ...]:
    """Return the named nodes and all that they depend on, in the order of the graph.

    Args:
        nodes: the nodes of a graph, each after those it depends on.
        names: some of them, `TYPE.CLASS#ID` each.
    """
    keys: set[ResourceKey] = set()
    for node in reversed(nodes):
        if node.name in names or node.key in keys:
            keys.add(node.key)
            keys.update(node.depends_on)
    return tuple(node for node in nodes if node.key in keys)


def part_of(
    graph: ResourceGraph, names: Collection[str]
) -> tuple[tuple[GraphNode, ...], tuple[GrowthPoint, ...]]:
    """Return the named resources of a graph and all that they need, and the lists that are needed for them.

    A name that the graph does not have may be one of a resource that joins it for a list.

    Args:
        graph: the graph.
        names: the resources, `TYPE.CLASS#ID` each; none: the whole graph is the part.
    """
    if not names:
        return graph.nodes, graph.points
    there = {node.name for node in graph.nodes} if graph.points else set(names)
    missing = [name for name in names if name not in there]
    names_ = set(names)
    points: dict[ListName, GrowthPoint] = {}
    while True:
        nodes = with_dependencies(graph.nodes, names_)
        keys = {node.key for node in nodes}
        new = [
            point
            for point in graph.points
            if point.name not in points
            and (not keys.isdisjoint(point.waiting) or any(is_joining(name, [point]) for name in missing))
        ]
        if not new:
            return nodes, tuple(points.values())
        points.update((point.name, point) for point in new)
        names_.update(str(key) for point in new for key in (*point.sources, point.name.owner))


def is_joining(name: str, points: Iterable[GrowthPoint]) -> bool:
    """Return whether a resource, `TYPE.CLASS#ID`, may join a graph for one of some lists."""
    named = parse_descriptor(name) if points else None
    if named is None or None in named:
        return False
    return any(named.type in point.types for point in points)


def joining_drivers(points: Iterable[GrowthPoint]) -> dict[str, frozenset[str]]:
    """Return the types of resources that may join a graph for some lists, each with its possible drivers."""
    drivers: dict[str, frozenset[str]] = {}
    # Lists of one entry have the same types: these are one object.
    for types in {id(point.types): point.types for point in points}.values():
        for type_, possible in types.items():
            drivers[type_] = drivers.get(type_, frozenset()) | possible
    return drivers


def may_be_cleared(
    kept: Mapping[ResourceKey, ActiveResource],
    undecided: Iterable[ResourceKey],
    points: Iterable[GrowthPoint],
    anew: Collection[str],
) -> list[ResourceKey]:
    """Return the resources of which something may have to be destroyed if they join a graph for a list.

    Args:
        kept: the records of the environment.
        undecided: the resources that may join.
        points: the lists.
        anew: resources that are to be made anew.
    """
    drivers = joining_drivers(points)
    return [
        key
        for key in sorted(undecided)
        if kept[key].beside or str(key) in anew or drivers.get(key.type) != frozenset({kept[key].driver})
    ]


def used_by_others(kept: Mapping[ResourceKey, ActiveResource], part: Iterable[GraphNode]) -> set[ResourceKey]:
    """Return the resources that records outside of a part use; what they were given must stay.

    Args:
        kept: the records of the environment.
        part: the part.
    """
    inside = {node.key for node in part}
    return {used for key, record in kept.items() if key not in inside for used in record.uses}


def to_be_deleted(
    nodes: Iterable[GraphNode], kept: Mapping[ResourceKey, ActiveResource]
) -> Iterator[ActiveResource]:
    """Yield the records of what is made beside resources, and of what another driver than theirs made."""
    for whole in kept.values():
        yield from whole.beside
    for node in nodes:
        record = kept.get(node.key)
        if record is not None and record.driver != node.driver:
            yield record
