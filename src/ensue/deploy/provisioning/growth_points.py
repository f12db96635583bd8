"""The growth points of a graph: lists that are known only while the deployment runs, and what waits for them.

A resource waits for a list if it may get further dependencies for it: it depends on the owner of an entry
with `match_dependents`, or it may be one of the items itself. It also waits if its selectors could find what
joins (`selector_waits`). What may join the graph for a list is known by type: the definitions that its
resources may get, and all that these mention, whatever the items are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.provisioning.for_each import may_be_id, shown_id
from ensue.deploy.provisioning.identity import IMPLICIT, ResourceKey
from ensue.deploy.provisioning.nodes import GrowthPoint, ListName
from ensue.deploy.provisioning.selector_waits import SelectorWaits

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from ensue.deploy.provisioning.definitions import Definition, Provision
    from ensue.deploy.provisioning.for_each import ForEach
    from ensue.deploy.provisioning.growth import GraphResource, GrowingGraph
    from ensue.deploy.provisioning.identity import Context, Descriptor
    from ensue.deploy.provisioning.matching import Catalog
    from ensue.deploy.provisioning.written import TemplatedData

_Kind = tuple[str, str]
"""A type and a class."""


def growth_points(growth: GrowingGraph, catalog: Catalog, context: Context) -> tuple[GrowthPoint, ...]:
    """Return the lists of a settled graph that are not known yet, by owner and entry.

    Args:
        growth: the graph.
        catalog: the definitions.
        context: the environment.
    """
    if not growth.unknown:
        return ()
    points = _Points(growth, catalog, context)
    return tuple(sorted((points.of(*unknown) for unknown in growth.unknown), key=lambda point: point.name))


class _Points:
    def __init__(self, growth: GrowingGraph, catalog: Catalog, context: Context) -> None:
        self._growth = growth
        self._catalog = catalog
        self._context = context
        self._types: dict[_Kind, dict[str, frozenset[str]]] = {}
        self._by_kind: dict[_Kind, list[GraphResource]] = {}
        self._selectors = SelectorWaits(growth)
        for resource in growth.resources.values():
            self._by_kind.setdefault((resource.key.type, resource.key.class_), []).append(resource)

    def of(self, owner: GraphResource, provision: Provision, for_each: ForEach) -> GrowthPoint:
        """Return the growth point of an entry."""
        head = provision.target.resolved(owner.key)
        kind = (head.type, head.class_)
        sources = {target.resolved(owner.key) for target, _ in for_each.value.mentions.references}
        if kind not in self._types:
            self._types[kind] = self._types_from(kind)
        types = self._types[kind]
        context = self._growth.expansion.context_of(owner.key)
        # What the list needs cannot wait for it; if that changes, it is refused when the list is known.
        needed = self._needed_by(sources)
        changing = self._items(kind, may_be_id(for_each, context)) - needed
        if provision.match_dependents:
            companions = owner.companions or ()
            changing.update(resource for resource in owner.dependents if resource not in companions)
        selectors = {
            (resource.key, selector)
            for resource, selector in self._selectors.waiting(types, changing)
            if resource not in needed
        }
        possible = self._catalog.possible(*kind, self._context)
        return GrowthPoint(
            name=ListName(owner.key, for_each.entry),
            head=ResourceKey(head.type, head.class_, shown_id(for_each, context)),
            for_each=for_each,
            sources=tuple(sorted(sources)),
            waiting=frozenset({resource.key for resource in changing} | {key for key, _ in selectors}),
            selectors=frozenset(selectors),
            types=types,
            definitions=tuple(sorted(definition.id for definition in possible)),
            grown_for=owner.grown_for,
        )

    def _items(self, kind: _Kind, ids: re.Pattern[str]) -> set[GraphResource]:
        """Return the resources that may be items already."""
        return {resource for resource in self._by_kind.get(kind, ()) if ids.fullmatch(resource.key.id)}

    def _needed_by(self, sources: Iterable[ResourceKey]) -> set[GraphResource]:
        """Return the sources of a list and all that they depend on."""
        waiting = [self._growth.resources[key] for key in sources]
        needed = set(waiting)
        while waiting:
            new = {to for to, _ in waiting.pop().edges} - needed
            needed |= new
            waiting += new
        return needed

    def _types_from(self, kind: _Kind) -> dict[str, frozenset[str]]:
        """Return the types of all that may join the graph with a type and class, each with its drivers."""
        drivers: dict[str, frozenset[str]] = {}
        reached = {kind}
        waiting = [kind]
        while waiting:
            type_, class_ = waiting.pop()
            drivers.setdefault(type_, frozenset())
            for definition in self._catalog.possible(type_, class_, self._context):
                new = {
                    (descriptor.type, class_ if descriptor.class_ is None else descriptor.class_)
                    for descriptor in _mentioned(definition)
                    if descriptor.id is not None or descriptor.type not in IMPLICIT
                }
                drivers[type_] |= {definition.driver}
                waiting += new - reached
                reached |= new
        return drivers


def _mentioned(definition: Definition) -> Iterator[Descriptor]:
    """Yield all that a definition refers to or co-provisions."""
    for written in definition.written:
        yield from _references(written)
    for provision in definition.provisions:
        yield provision.target
        if provision.params is not None:
            yield from _references(provision.params)
        if provision.for_each is not None:
            yield from _references(provision.for_each.value)


def _references(written: TemplatedData) -> Iterator[Descriptor]:
    return (descriptor for descriptor, _ in written.mentions.references)
