"""What has changed in a graph that more resources have joined, and what comes too late.

A resource that did not wait for a list may have been provisioned before the list was known: it must not need
anything else afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, ListName, ResourceGraph
    from ensue.language.collector import Collector


def unlike_before(before: ResourceGraph, grown: ResourceGraph) -> Iterator[GraphNode]:
    """Yield the resources that have joined a graph, and those whose params or dependencies have changed."""
    known = {node.key: node for node in before.nodes}
    for node in grown.nodes:
        old = known.get(node.key)
        if old is None or not _is_same(old, node):
            yield node


def refuse_late(
    before: ResourceGraph,
    grown: ResourceGraph,
    names: Collection[ListName],
    started: Container[ResourceKey],
    collector: Collector,
) -> None:
    """Report resources that have changed for a list and did not wait for it.

    Args:
        before: the graph without the resources of the lists.
        grown: the graph with them.
        names: the lists.
        started: the resources whose provisioning has begun.
        collector: receives an error per resource.
    """
    known = {node.key: node for node in before.nodes}
    changed = [node for node in unlike_before(before, grown) if node.key in known]
    if not changed:
        return
    waiting = _waiting_for(before, frozenset(names))
    for node in changed:
        if node.key not in waiting or node.key in started:
            collector.error(
                "E0862",
                f"{node.key} does not wait for {_listed(names)}, and would change with it",
                node.places[0].span(),
                detail=f"it may have been provisioned before; {_change(known[node.key], node)}",
                help="give the resources of the list other ids, or name what they need in another definition",
            )


def _waiting_for(graph: ResourceGraph, names: Collection[ListName]) -> set[ResourceKey]:
    """Return the resources that wait for one of some lists, directly or not."""
    users: dict[ResourceKey, list[ResourceKey]] = {}
    for node in graph.nodes:
        for key in node.depends_on:
            users.setdefault(key, []).append(node.key)
    for point in graph.points:
        for key in point.sources:
            users.setdefault(key, []).extend(point.waiting)
    reached: set[ResourceKey] = set()
    stack = [key for point in graph.points if point.name in names for key in point.waiting]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached.add(key)
            stack += users.get(key, ())
    return reached


def _listed(names: Iterable[ListName]) -> str:
    return f"the list for {', '.join(map(str, names))}"


def _change(old: GraphNode, node: GraphNode) -> str:
    """Return what a resource would need that it did not need before."""
    new = sorted(set(node.depends_on).difference(old.depends_on))
    if new:
        return f"now it would depend on {', '.join(map(str, new))}"
    return "its selectors would find more" if _same_params(old, node) else "now it would have other params"


def _is_same(old: GraphNode, node: GraphNode) -> bool:
    """Return whether a node needs nothing else than before; reasons for dependencies do not count."""
    is_same = old.dependencies == node.dependencies or old.depends_on == node.depends_on
    return is_same and old.selected == node.selected and _same_params(old, node)


def _same_params(old: GraphNode, node: GraphNode) -> bool:
    if old.params is None or node.params is None:
        return old.params is node.params
    return old.params is node.params or old.params.data == node.params.data
