"""What has changed in a graph that more resources have joined, and what comes too late.

A resource that did not wait for a list may have been provisioned before the list was known: it must not need
anything else afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from ensue.language.collector import Collector
    from ensue.provisioning.identity import Key
    from ensue.provisioning.nodes import GrowthPoint, ListName, Node, ResourceGraph


def unlike_before(before: ResourceGraph, grown: ResourceGraph) -> Iterator[Node]:
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
    started: Container[Key],
    found: Collector,
) -> None:
    """Report resources that have changed for a list and did not wait for it.

    Args:
        before: the graph without the resources of the lists.
        grown: the graph with them.
        names: the lists.
        started: the resources whose provisioning has begun.
        found: receives an error per resource.
    """
    known = {node.key: node for node in before.nodes}
    changed = [node for node in unlike_before(before, grown) if node.key in known]
    if not changed:
        return
    waiting = waiting_for(before, frozenset(names))
    for node in changed:
        if node.key not in waiting or node.key in started:
            found.error(
                "E0862",
                f"{node.key} does not wait for {_listed(names)}, and would change with it",
                node.places[0].span(),
                detail=f"it may have been provisioned before; {_change(known[node.key], node)}",
                help="give the resources of the list other ids, or name what they need in another definition",
            )


def refuse_waiting(
    before: ResourceGraph, joining: Mapping[ListName, Sequence[Node]], found: Collector
) -> None:
    """Report resources of a list that need others which wait for the list.

    Args:
        before: the graph without the resources of the lists.
        joining: the resources that join for each list.
        found: receives an error per resource.
    """
    by_key = {node.key: node for nodes in joining.values() for node in nodes}
    waiting = waiting_for(before, joining.keys()).difference(by_key)
    if not any(key in waiting for node in by_key.values() for key in node.depends_on):
        return
    for name, nodes in joining.items():
        waiting = waiting_for(before, [name]).difference(node.key for node in nodes)
        for node in _needed(nodes, by_key):
            for key in node.depends_on:
                if key in waiting:
                    found.error(
                        "E0862",
                        f"{node.key} is provisioned for {_listed([name])}, and depends on {key}, which waits "
                        "for it",
                        node.places[0].span(),
                        help="take this dependency away, or the selector for which the other one waits",
                    )


def items_before(
    before: ResourceGraph, grown: ResourceGraph, names: Container[ListName]
) -> dict[Key, ListName]:
    """Return the resources that are items of lists and were in the graph before these were known.

    Args:
        before: the graph without the resources of the lists.
        grown: the graph with them.
        names: the lists.
    """
    points: dict[Key, list[GrowthPoint]] = {}
    for point in before.points:
        if point.name in names:
            for key in point.waiting:
                points.setdefault(key, []).append(point)
    known = {node.key: node for node in before.nodes if node.key in points}
    return {
        node.key: point.name
        for node in grown.nodes
        if node.key in known
        for point in points[node.key]
        for one in node.dependencies
        if one.why == "for_each" and one.to in point.sources and one not in known[node.key].dependencies
    }


def waiting_for(graph: ResourceGraph, names: Collection[ListName]) -> set[Key]:
    """Return the resources that wait for one of some lists, directly or not."""
    if not names:
        return set()
    users: dict[Key, list[Key]] = {}
    for node in graph.nodes:
        for key in node.depends_on:
            users.setdefault(key, []).append(node.key)
    for point in graph.points:
        for key in point.sources:
            users.setdefault(key, []).extend(point.waiting)
    reached: set[Key] = set()
    stack = [key for point in graph.points if point.name in names for key in point.waiting]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached.add(key)
            stack += users.get(key, ())
    return reached


def _needed(nodes: Iterable[Node], joining: Mapping[Key, Node]) -> Iterable[Node]:
    """Return some resources, and all that join the graph and that these need."""
    needed = {node.key: node for node in nodes}
    stack = list(needed.values())
    while stack:
        new = {key: joining[key] for key in stack.pop().depends_on if key in joining and key not in needed}
        needed.update(new)
        stack += new.values()
    return needed.values()


def _listed(names: Iterable[ListName]) -> str:
    return f"the list for {', '.join(map(str, names))}"


def _change(old: Node, node: Node) -> str:
    """Return what a resource would need that it did not need before."""
    new = sorted(set(node.depends_on).difference(old.depends_on))
    if new:
        return f"now it would depend on {', '.join(map(str, new))}"
    return "its selectors would find more" if _same_params(old, node) else "now it would have other params"


def _is_same(old: Node, node: Node) -> bool:
    """Return whether a node needs nothing else than before; reasons for dependencies do not count."""
    is_same = old.dependencies == node.dependencies or old.depends_on == node.depends_on
    return is_same and old.selected == node.selected and _same_params(old, node)


def _same_params(old: Node, node: Node) -> bool:
    if old.params is None or node.params is None:
        return old.params is node.params
    return old.params is node.params or old.params.data == node.params.data
