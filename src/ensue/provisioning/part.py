"""A part of a resource graph: some resources, and all that they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ensue.provisioning.active import ActiveResource
    from ensue.provisioning.identity import Key
    from ensue.provisioning.nodes import Node


def with_dependencies(nodes: Sequence[Node], names: Collection[str]) -> tuple[Node, ...]:
    """Return the named nodes and all that they depend on, in the order of the graph.

    Args:
        nodes: the nodes of a graph, each after those it depends on.
        names: some of them, `TYPE.CLASS#ID` each.
    """
    wanted: set[Key] = set()
    for node in reversed(nodes):
        if str(node.key) in names or node.key in wanted:
            wanted.add(node.key)
            wanted.update(node.depends_on)
    return tuple(node for node in nodes if node.key in wanted)


def used_by_others(kept: Mapping[Key, ActiveResource], part: Iterable[Node]) -> set[Key]:
    """Return the resources that records outside of a part use; what they were given must stay.

    Args:
        kept: the records of the environment.
        part: the part.
    """
    inside = {node.key for node in part}
    return {used for key, one in kept.items() if key not in inside for used in one.uses}
