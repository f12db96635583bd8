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


class SelectorWaits:
    """The selectors of a graph, by what could change what they find.

    Args:
        growth: the graph, settled.
    """

    def __init__(self, growth: GrowingGraph) -> None:
        self._from: dict[GraphResource, set[GraphResource]] = {}
        self._to: dict[str, set[GraphResource]] = {}
        for owner, (descriptor, steps), _ in growth.selections:
            anchor = descriptor.resolved(owner.key)
            start = growth.resources.get(anchor)
            if start is None:
                self._to.setdefault(anchor.type, set()).add(owner)
            reached: Iterable[GraphResource] = () if start is None else (start,)
            for direction, type_ in steps:
                if direction == ">":
                    for resource in reached:
                        self._from.setdefault(resource, set()).add(owner)
                else:
                    self._to.setdefault(type_, set()).add(owner)
                reached = followed(reached, direction, type_)

    def waiting(self, types: Iterable[str], changing: Collection[GraphResource]) -> set[GraphResource]:
        """Return the resources whose selectors could find something else.

        Args:
            types: the types of what may join.
            changing: the resources that may get further dependencies.
        """
        resources: set[GraphResource] = set()
        for resource in changing:
            resources |= self._from.get(resource, set())
        for type_ in {*types, *(one.key.type for one in changing)}:
            resources |= self._to.get(type_, set())
        return resources
