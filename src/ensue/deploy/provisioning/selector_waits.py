"""Which selectors could find something else when resources join a graph for a list.

A step `>` may reach further resources only from one that may get further dependencies. A step `<` may do so
only if it selects a type that may join, or a type of which a resource may get further dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.provisioning.selecting import followed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.deploy.provisioning.growth import GraphResource, GrowingGraph
    from ensue.deploy.provisioning.nodes import Selector


class SelectorWaits:
    """The selectors of a graph, by what could change what they find.

    Args:
        growth: the graph, settled.
    """

    def __init__(self, growth: GrowingGraph) -> None:
        self._from: dict[GraphResource, set[tuple[GraphResource, Selector]]] = {}
        self._to: dict[str, set[tuple[GraphResource, Selector]]] = {}
        for owner, selector, _ in growth.selections:
            descriptor, steps = selector
            anchor = descriptor.resolved(owner.key)
            start = growth.resources.get(anchor)
            if start is None:
                self._to.setdefault(anchor.type, set()).add((owner, selector))
            reached: Iterable[GraphResource] = () if start is None else (start,)
            for direction, type_ in steps:
                if direction == ">":
                    for resource in reached:
                        self._from.setdefault(resource, set()).add((owner, selector))
                else:
                    self._to.setdefault(type_, set()).add((owner, selector))
                reached = followed(reached, direction, type_)

    def waiting(
        self, types: Iterable[str], changing: Collection[GraphResource]
    ) -> set[tuple[GraphResource, Selector]]:
        """Return the selectors that could find something else, each with its resource.

        Args:
            types: the types of what may join.
            changing: the resources that may get further dependencies.
        """
        selectors: set[tuple[GraphResource, Selector]] = set()
        for resource in changing:
            selectors |= self._from.get(resource, set())
        for type_ in {*types, *(resource.key.type for resource in changing)}:
            selectors |= self._to.get(type_, set())
        return selectors
