"""The graph under construction: resources and their dependencies join it until nothing new is found.

Each resource and each edge is processed once, so building is linear in the size of the graph.
`match_dependents` is a rule for every pair of a dependent and a co-provisioned resource, in whatever order
they join: a new edge is checked against the existing rules, and a new rule against the existing edges.

Source: resource graph document, "Building and executing" and "Co-provision Resources".
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ensue.deploy.provisioning.canonical import are_equal
from ensue.deploy.provisioning.expansion import NO_ITEMS, Expansion
from ensue.deploy.provisioning.identity import WORKLOAD, Descriptor
from ensue.deploy.provisioning.nodes import ListName
from ensue.deploy.provisioning.params_schemas import with_defaults
from ensue.deploy.provisioning.written import NO_MENTIONS, TemplatedData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.deploy.provisioning.definitions import Definition, Provision
    from ensue.deploy.provisioning.for_each import ForEach, Item
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.matching import Catalog
    from ensue.deploy.provisioning.nodes import Selector, Why
    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector


class GraphResource:
    """A resource that is part of the graph.

    Args:
        key: its type, class and id.
        place: the place of the first request.
        definition: its definition; None: no definition matches.
    """

    __slots__ = (
        "companions",
        "definition",
        "dependents",
        "edges",
        "foreign_id",
        "grown_for",
        "id_of",
        "key",
        "matched",
        "params",
        "place",
    )

    def __init__(self, key: ResourceKey, place: TextPlace, definition: Definition | None) -> None:
        self.key = key
        self.place = place
        self.params: TemplatedData | None = None
        self.definition = definition
        self.edges: dict[tuple[GraphResource, Why], TextPlace] = {}
        self.dependents: dict[GraphResource, None] = {}
        self.companions: set[GraphResource] | None = None
        """What it co-provisions; None: nothing."""
        self.matched: list[tuple[GraphResource, TextPlace]] | None = None
        """What of that its dependents depend on, too; None: nothing."""
        self.foreign_id = ""
        self.grown_for: ListName | None = None
        self.id_of: ResourceKey | None = None
        """The resource whose id it has because its request names none; None: the request names an id."""

    @property
    def about_its_id(self) -> str:
        """What messages about a missing part say if its request names no id; empty if it names one."""
        if self.id_of is None:
            return ""
        type_ = self.key.type
        return (
            f"without #ID, the {type_} requested here is the one with the id of {self.id_of}: for another "
            f"one, write {type_}#ID"
        )


class GrowingGraph:
    """A graph under construction.

    Args:
        catalog: the definitions.
        context: the environment.
        collector: receives the errors.
        given: the items of lists that are outputs, as far as they are known.
    """

    def __init__(
        self,
        catalog: Catalog,
        context: Context,
        collector: Collector,
        given: Mapping[ListName, Sequence[Item]] = NO_ITEMS,
    ) -> None:
        self.resources: dict[ResourceKey, GraphResource] = {}
        self.selections: list[tuple[GraphResource, Selector, TextPlace]] = []
        self.unknown: list[tuple[GraphResource, Provision, ForEach]] = []
        """The entries whose lists are not known yet."""
        self.expansion = Expansion(context, collector, given)
        self._sources: list[tuple[GraphResource, GraphResource, TextPlace]] = []
        self._catalog = catalog
        self._context = context
        self._collector = collector
        self._unexpanded: deque[GraphResource] = deque()
        self._unmatched: deque[tuple[GraphResource, GraphResource]] = deque()

    def add(self, key: ResourceKey, place: TextPlace, params: TemplatedData | None = None) -> GraphResource:
        """Return a resource of the graph; a new one is added.

        Args:
            key: the resource.
            place: the place of the request.
            params: its parameters; None: none are set here.
        """
        resource = self.resources.get(key)
        if resource is None:
            definition = self._catalog.chosen(key, self._context)
            resource = self.resources[key] = GraphResource(key, place, definition)
            self._unexpanded.append(resource)
        if params is not None:
            self._give(resource, params)
        return resource

    def connect(self, owner: GraphResource, to: GraphResource, why: Why, place: TextPlace) -> None:
        """Make a resource depend on another one."""
        if (to, why) in owner.edges:
            return
        owner.edges[to, why] = place
        if owner not in to.dependents:
            to.dependents[owner] = None
            self._unmatched.append((owner, to))

    def settle(self) -> None:
        """Follow definitions until nothing new joins."""
        while self._unexpanded or self._unmatched:
            while self._unexpanded:
                self._expand(self._unexpanded.popleft())
            while self._unmatched:
                owner, to = self._unmatched.popleft()
                for companion, place in to.matched or ():
                    self._match(owner, to, companion, place)

    def release(self) -> None:
        """Take the graph apart: its resources know each other, so that only the collector would free them."""
        for resource in self.resources.values():
            resource.edges.clear()
            resource.dependents.clear()
            resource.companions = resource.matched = None

    def give_defaults(self) -> None:
        """Give resources whose params nobody has set what their definition has as defaults."""
        for resource in self.resources.values():
            schema = None if resource.definition is None else resource.definition.params_schema
            if resource.params is None and schema is not None:
                nothing = TemplatedData({}, {}, NO_MENTIONS, resource.place)
                given = with_defaults(nothing, schema)
                resource.params = None if given is nothing else given

    def follow_lists(self) -> None:
        """Make the resources of lists depend on those that have the lists.

        This comes last: rules and selectors see the graph as if the entries had been written out.
        """
        for resource, source, place in self._sources:
            resource.edges.setdefault((source, "for_each"), place)

    def _expand(self, resource: GraphResource) -> None:
        """Add the resources that a resource's definition co-provisions."""
        definition = resource.definition
        if definition is None:
            return
        for written in definition.written:
            self.mention(resource, written, "reference")
        if definition.provisions:
            self._provision(resource, definition.provisions)

    def mention(self, owner: GraphResource, written: TemplatedData, why: Why) -> None:
        """Add the resources that data of a resource mentions."""
        mentions = written.mentions
        if mentions is NO_MENTIONS:
            return
        for (descriptor, needs_provisioning), place in mentions.references.items():
            target = self._add_for(owner, descriptor, place)
            if target is not owner or needs_provisioning:
                self.connect(owner, target, why, place)
        for selector, place in mentions.selections.items():
            self.selections.append((owner, selector, place))

    def _give(self, resource: GraphResource, params: TemplatedData) -> None:
        if resource.definition is not None and resource.definition.params_schema is not None:
            params = with_defaults(params, resource.definition.params_schema)
        if resource.params is None:
            resource.params = params
            self.mention(resource, params, "workload" if resource.key.type == WORKLOAD else "reference")
        elif not _are_same(resource, resource.params, params):
            first, second = sorted((resource.params.place.span(), params.place.span()))
            self._collector.error(
                "E0820",
                f"{resource.key} is given different params",
                second,
                detail=f"it has others at {first}",
                help="give the same params in both places, or in one of them",
                related=((first, "the other params"),),
            )

    def _add_for(self, owner: GraphResource, descriptor: Descriptor, place: TextPlace) -> GraphResource:
        """Return the resource that another one names; a new one has joined for what the other joined for."""
        key = descriptor.resolved(owner.key)
        if key in self.resources:
            return self.resources[key]
        has_its_id = descriptor.id is None and key.id == owner.key.id
        if owner.grown_for is None:
            resource = self.add(key, place)
        else:
            resource = self._join(key, place, owner.grown_for, owner.foreign_id if has_its_id else "")
        resource.id_of = owner.key if has_its_id else None
        return resource

    def _join(
        self, key: ResourceKey, place: TextPlace, grown_for: ListName, foreign_id: str
    ) -> GraphResource:
        """Return a resource; a new one has joined the graph for a list."""
        is_new = key not in self.resources
        resource = self.add(key, place)
        if is_new:
            resource.grown_for, resource.foreign_id = grown_for, foreign_id
        return resource

    def _added(
        self, owner: GraphResource, provisions: tuple[Provision, ...]
    ) -> list[tuple[Provision, GraphResource]]:
        """Add what a resource co-provisions."""
        added: list[tuple[Provision, GraphResource]] = []
        for provision in provisions:
            if provision.for_each is None:
                resource = self._add_for(owner, provision.target, provision.place)
                if provision.params is not None:
                    self._give(resource, provision.params)
                added.append((provision, resource))
            else:
                added += [(provision, each) for each in self._each(owner, provision, provision.for_each)]
        return added

    def _each(self, owner: GraphResource, provision: Provision, for_each: ForEach) -> list[GraphResource]:
        """Add the resources of an entry with `for_each`, and those that have its list."""
        references = for_each.value.mentions.references.items()
        sources = [(self._add_for(owner, target, place), place) for (target, _), place in references]
        expanded = self.expansion.of(owner.key, provision, for_each)
        if expanded is None:
            self.unknown.append((owner, provision, for_each))
            return []
        name = ListName(owner.key, for_each.entry)
        added: list[GraphResource] = []
        for resource_ in expanded:
            resource = (
                self._join(resource_.key, provision.place, name, resource_.foreign_id)
                if self.expansion.is_given(name)
                else self._add_for(owner, Descriptor(*resource_.key), provision.place)
            )
            if resource_.params is not None:
                self._give(resource, resource_.params)
            for source, place in sources:
                self._sources.append((resource, source, place))
            added.append(resource)
        return added

    def _provision(self, owner: GraphResource, provisions: tuple[Provision, ...]) -> None:
        added = self._added(owner, provisions)
        # All of them are known before the first rule applies, since none of them is matched.
        owner.companions = {companion for _, companion in added}
        for provision, companion in added:
            if provision.is_dependent:
                self.connect(companion, owner, "co-provision", provision.place)
            if provision.match_dependents:
                owner.matched = [*(owner.matched or ()), (companion, provision.place)]
                for dependent in list(owner.dependents):
                    self._match(dependent, owner, companion, provision.place)

    def _match(
        self, dependent: GraphResource, owner: GraphResource, companion: GraphResource, place: TextPlace
    ) -> None:
        if dependent not in (owner.companions or ()):
            self.connect(dependent, companion, "match_dependents", place)


def _are_same(resource: GraphResource, first: TemplatedData, second: TemplatedData) -> bool:
    """Return whether params are equal as written, and their placeholders refer to the same resources."""
    if not are_equal(first.source, second.source):
        return False

    def meant(written: TemplatedData) -> set[ResourceKey]:
        return {target.resolved(resource.key) for target, _ in written.mentions.references}

    return meant(first) == meant(second)
