"""Resource selectors: find the resources of a type that another resource depends on, or its dependents.

All selectors look at the graph as it is before any of them adds an edge, so their order does not matter.
They add edges and never resources.

Source: resource graph document, "Resource selectors".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from ensue.deploy.provisioning.growth import GraphResource, GrowingGraph
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import Selector
    from ensue.deploy.provisioning.placeholder_values import Step
    from ensue.language.collector import Collector


def follow_selectors(growth: GrowingGraph) -> Mapping[GraphResource, dict[Selector, tuple[ResourceKey, ...]]]:
    """Find the resources that selectors select, make their owners depend on them, and settle the graph again.

    Args:
        growth: the graph, settled.

    Returns:
        By resource, the resources that each of its selectors found, sorted by type, class and id.
    """
    known: dict[tuple[ResourceKey, tuple[Step, ...]], tuple[GraphResource, ...]] = {}
    selected: dict[GraphResource, dict[Selector, tuple[ResourceKey, ...]]] = {}
    matches: list[tuple[GraphResource, ...]] = []
    for owner, selector, _ in growth.selections:
        anchor, steps = selector[0].resolved(owner.key), selector[1]
        start = growth.resources.get(anchor)
        if (anchor, steps) not in known:
            known[anchor, steps] = _follow([] if start is None else [start], steps)
        matches.append(known[anchor, steps])
        selected.setdefault(owner, {})[selector] = tuple(match.key for match in matches[-1])
    for (owner, _, place), matched in zip(growth.selections, matches, strict=True):
        for resource in matched:
            growth.connect(owner, resource, "selector", place)
    growth.settle()
    return selected


def warn_of_missing_anchors(
    growth: GrowingGraph, undecided: Container[tuple[ResourceKey, Selector]], collector: Collector
) -> None:
    """Warn of selectors that begin at a resource that is not in the graph, and cannot join it.

    Args:
        growth: the graph.
        undecided: the selectors that could find resources of a list that is not known yet.
        collector: receives a warning for each of the others.
    """
    for owner, selector, place in growth.selections:
        anchor = selector[0].resolved(owner.key)
        if anchor not in growth.resources and (owner.key, selector) not in undecided:
            collector.warning(
                "E0822",
                f"the selector of {owner.key} begins at {anchor}, which is not in the graph",
                place.span(),
                help="it selects nothing; check the type, class and id in front of > or <",
            )


def _follow(resources: Iterable[GraphResource], steps: Iterable[Step]) -> tuple[GraphResource, ...]:
    for direction, type_ in steps:
        resources = followed(resources, direction, type_)
    return tuple(sorted(resources, key=lambda resource: resource.key))


def followed(resources: Iterable[GraphResource], direction: str, type_: str) -> dict[GraphResource, None]:
    """Return what one step of a selector reaches.

    Args:
        resources: where it begins.
        direction: `>` for what they depend on, `<` for their dependents.
        type_: the type that is selected.
    """
    reached: dict[GraphResource, None] = {}
    for resource in resources:
        near = (to for to, _ in resource.edges) if direction == ">" else resource.dependents
        reached.update((resource, None) for resource in near if resource.key.type == type_)
    return reached
