"""The order of provisioning: each resource after those it depends on, and after the lists it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ensue.deploy.provisioning.nodes import GrowthPoint
from ensue.engine.graph.cycles import CycleError
from ensue.engine.graph.dag import Edge
from ensue.engine.graph.ordering import order_with_priorities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.deploy.provisioning.growth import GraphResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.language.collector import Collector


class _Step(NamedTuple):
    """One dependency of a cycle.

    Args:
        key: the resource that depends, or the owner of the list that does; for the order of messages.
        owner: its name.
        words: what depends on what, and where that is written.
        place: where that is written.
    """

    key: ResourceKey
    owner: str
    words: str
    place: Span


def in_order(
    resources: Sequence[GraphResource], points: Sequence[GrowthPoint], collector: Collector
) -> list[GraphResource]:
    """Return resources in the order of provisioning; if there is a cycle, report it and return nothing.

    Args:
        resources: the resources, sorted.
        points: the lists that are not known yet.
        collector: receives the errors.
    """
    numbers = {resource: number for number, resource in enumerate(resources)}
    edges = [
        Edge(numbers[to], number, why)
        for number, resource in enumerate(resources)
        for to, why in sorted(resource.edges, key=lambda edge: (numbers[edge[0]], edge[1]))
    ]
    priorities: Sequence[float] = range(len(resources))
    if points:
        by_key = {resource.key: number for resource, number in numbers.items()}
        edges += _edges(points, by_key, len(resources))
        priorities = [*priorities, *(max(by_key[key] for key in point.sources) for point in points)]
    try:
        ordered = order_with_priorities(len(priorities), edges, priorities)
    except CycleError as error:
        for cycle in error.cycles:
            # An edge of the general graph leads from a node to its dependents: the opposite direction.
            _refuse_cycle([_step(edge, resources, points) for edge in reversed(cycle)], collector)
        return []
    return [resources[number] for number in ordered if number < len(resources)]


def _edges(points: Sequence[GrowthPoint], by_key: Mapping[ResourceKey, int], first: int) -> Iterator[Edge]:
    """Yield the edges from the sources of each list to the list, and from there to what waits for it."""
    for number, point in enumerate(points, start=first):
        yield from (Edge(by_key[key], number, "for_each") for key in point.sources)
        yield from (Edge(number, by_key[key], "for_each") for key in sorted(point.waiting))


def _step(edge: Edge, resources: Sequence[GraphResource], points: Sequence[GrowthPoint]) -> _Step:
    count = len(resources)
    owner = resources[edge.after] if edge.after < count else points[edge.after - count]
    to = resources[edge.before] if edge.before < count else points[edge.before - count]
    to_name = str(to.name) if isinstance(to, GrowthPoint) else str(to.key)
    if isinstance(owner, GrowthPoint):
        place = owner.for_each.value.place.span()
        words = f"the list for {owner.name} is known after {to_name} ({edge.reason}, {place})"
        return _Step(owner.name.owner, f"the list for {owner.name}", words, place)
    if isinstance(to, GrowthPoint):
        return _wait(owner, to)
    needed = (to, edge.reason)
    place = next(place.span() for known, place in owner.edges.items() if known == needed)
    words = f"{owner.key} depends on {to_name} ({edge.reason}, {place})"
    return _Step(owner.key, str(owner.key), words, place)


def _wait(resource: GraphResource, point: GrowthPoint) -> _Step:
    """Return the step from a resource to a list that may add to what it depends on."""
    to_owner = ((why, place) for (to, why), place in resource.edges.items() if to.key == point.name.owner)
    why, written = next(to_owner, ("", resource.place))
    place = written.span()
    cause = f"depends on {point.name.owner} ({why}, {place}), and" if why else f"({place})"
    words = f"{resource.key} {cause} waits for the list for {point.name}, which may add what it depends on"
    return _Step(resource.key, str(resource.key), words, place)


def _refuse_cycle(cycle: list[_Step], collector: Collector) -> None:
    smallest = min(range(len(cycle)), key=lambda number: cycle[number].key)
    turned = cycle[smallest:] + cycle[:smallest]
    path = " -> ".join([*(step.owner for step in turned), turned[0].owner])
    collector.error(
        "E0821",
        f"resources depend on each other in a cycle: {path}",
        turned[0].place,
        detail="; ".join(step.words for step in turned),
        help="take one of these dependencies away",
    )
