"""Finds resources that have an object in common: which one has it, and whether a removal would destroy it.

An object has one owner, unless its driver says that several resources may share it. Resources of the graph
are compared by their inputs, and with the records of other environments; one whose inputs become known only
in the run is compared right before it is provisioned. A removal is compared with all other resources of the
store, of this environment and of others: by their inputs before anything runs, and by what their drivers
recorded right before the removal.

Source: resource graph document, "Nothing is destroyed unasked".
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ensue.core.errors import EnsueError
from ensue.deploy.provisioning.records import records_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.surroundings import ProvisioningDriver, ProvisioningServices

_MOST_NAMED: Final = 5

_Owners: TypeAlias = "dict[tuple[str, ...], list[tuple[ManagedObject, Owner]]]"
"""The owners of objects, by place."""


class SharedLoss(NamedTuple):
    """A removal that would destroy what another resource has made.

    Args:
        record: what is removed, or replaced.
        objects: what would be destroyed, as messages name it.
        owner: the resource that has it, as messages name it.
        is_fixed: whether no other resource can go on with it.
    """

    record: ActiveResource
    objects: str
    owner: str
    is_fixed: bool

    @property
    def words(self) -> str:
        """What is wrong, as a sentence."""
        key, driver = self.record.key, self.record.driver
        if self.owner == str(key):
            made = f"what the driver {driver} made for {key}"
            return f"{made} would be destroyed, and {key} has it now: {self.objects}"
        return f"the removal of {key} would destroy what {self.owner} has made: {self.objects}"

    @property
    def remedies(self) -> str:
        """What to do."""
        key = self.record.key
        if self.owner == str(key):
            return f"if it is to stay, drop the record and deploy again: --forget={key}"
        renamed = f"if it was renamed, or what is there is to stay, drop its record: --forget={key}"
        if self.is_fixed:
            renamed = "if it was renamed, give the resource its former name again"
        own_name = "give one of the two a name of its own, for example with `${context.res.guresid}`"
        return f"{renamed}; otherwise {own_name}"


class Owner(NamedTuple):
    """The resource that has an object.

    Args:
        name: the resource, as messages name it.
        node: the resource of the graph; None: it is one of another environment.
    """

    name: str
    node: GraphNode | None


class Duplicate(NamedTuple):
    """Objects that two resources would have, although each has one owner.

    Args:
        owner: the resource that has them.
        node: the other one.
        objects: what it is, as messages name it.
    """

    owner: Owner
    node: GraphNode
    objects: str

    @property
    def words(self) -> str:
        """What is wrong, as a sentence."""
        there = self.owner.node
        owner = self.owner.name if there is None else f"{self.owner.name} ({there.places[0].span()})"
        return f"{self.node.name} would manage what {owner} manages: {self.objects}"

    @property
    def remedies(self) -> str:
        """What to do."""
        own_name = "give each a name of its own, for example with `${context.res.guresid}`"
        if self.owner.node is None:
            return f"{own_name}; if the other one has given it up, drop its record there with --forget"
        return f"{own_name}, or declare one resource for both"


class SharedObjects:
    """What the resources of a store have made, compared with what a deployment removes.

    Args:
        context: the environment of the deployment.
        services: the services of the run.
        values: evaluates the resources of the graph; None: there are none.
        others: the records of all other environments; called once, when a removal destroys something.
        masker: masks names of objects.
    """

    def __init__(
        self,
        context: Context,
        services: ProvisioningServices,
        values: GraphValues | None,
        others: Callable[[], Iterable[tuple[Context, ActiveResource]]],
        masker: Masker,
    ) -> None:
        self._context = context
        self._services = services
        self._values = values
        self._load_others = others
        self._masker = masker
        self._others: list[tuple[str, ManagedObject]] | None = None
        self._owners: _Owners | None = None
        self._compared_keys: set[ResourceKey] = set()

    async def losses(
        self,
        gone: Iterable[ActiveResource],
        nodes: Iterable[GraphNode],
        kept: Mapping[ResourceKey, ActiveResource],
    ) -> list[SharedLoss]:
        """Return the removals that would destroy what another resource has.

        Args:
            gone: what is removed.
            nodes: the resources of the graph, known by their inputs.
            kept: the records of the environment.

        Raises:
            DriverError: a driver raises an error of its own.
            StoreError: the records of other environments cannot be read.
        """
        removed = list(gone)
        destroyed = [(record, objects) for record in removed if (objects := self.destroyed(record))]
        if not destroyed:
            return []
        inside, gone_keys = list(nodes), {record.key for record in removed}
        left = {key: record for key, record in kept.items() if key not in gone_keys}
        stay = (left[key] for key in left.keys() - {node.key for node in inside})
        living = [*self._of_nodes(inside, left), *self._of_records(stay), *await self._elsewhere()]
        return self._compared(destroyed, living)

    async def loss(
        self, record: ActiveResource, kept: Mapping[ResourceKey, ActiveResource], removed: Collection[str]
    ) -> SharedLoss | None:
        """Return what a removal would destroy of another resource, as records know it now.

        Args:
            record: what is removed.
            kept: the records of the environment.
            removed: the resources that are removed, by name.

        Raises:
            DriverError: a driver raises an error of its own.
            StoreError: the records of other environments cannot be read.
        """
        objects = self.destroyed(record)
        if not objects:
            return None
        stay = (
            other
            for whole in kept.values()
            for other in records_of(whole)[: 1 if whole.key == record.key else None]
            if str(whole.key) not in removed and other != record
        )
        living = [*self._of_records(stay), *await self._elsewhere()]
        return next(iter(self._compared([(record, objects)], living)), None)

    def destroyed(self, record: ActiveResource) -> list[ManagedObject]:
        """Return what the removal of a record destroys, as far as its driver says.

        Raises:
            DriverError: the driver raises an error of its own.
        """
        driver = self._services.driver(record.driver)
        return [] if driver.is_pure or record.is_retained else list(driver.destroys(record.cookie))

    def _compared(
        self,
        destroyed: Iterable[tuple[ActiveResource, list[ManagedObject]]],
        living: Iterable[tuple[str, ManagedObject]],
    ) -> list[SharedLoss]:
        owners = list(living)
        losses: list[SharedLoss] = []
        for record, objects in destroyed:
            is_fixed = any(each.ownership == "first" for each in objects)
            taken: dict[str, dict[str, None]] = {}
            for owner, there in owners:
                if any(each.takes(there) for each in objects):
                    taken.setdefault(owner, {})[there.name] = None
            for owner, names in taken.items():
                listed = ", ".join(list(names)[:_MOST_NAMED])
                losses.append(SharedLoss(record, self._masker.text(listed), owner, is_fixed))
        return losses

    async def duplicates(
        self, everything: Iterable[GraphNode], nodes: Iterable[GraphNode]
    ) -> list[Duplicate]:
        """Return what resources would have in common although it has one owner.

        Args:
            everything: all resources of the graph.
            nodes: those to be provisioned; each of the returned pairs has one of them.

        Raises:
            DriverError: a driver raises an error of its own.
            StoreError: the records of other environments cannot be read.
        """
        sole = {node.key: (node, objects) for node in everything if (objects := self._sole(node))}
        provisioned = sole.keys() & {node.key for node in nodes}
        if not provisioned:
            return []
        owners = await self._known_owners()
        common: dict[tuple[str, ResourceKey], Duplicate] = {}
        for node, objects in sole.values():
            for each in objects:
                owner = _owner_of(each, Owner(node.name, node), owners)
                keys = {node.key} if owner.node is None else {node.key, owner.node.key}
                if owner.name != node.name and not provisioned.isdisjoint(keys):
                    before = common.get((owner.name, node.key))
                    names = self._masker.text(each.name)
                    listed = names if before is None else f"{before.objects}, {names}"
                    common[owner.name, node.key] = Duplicate(owner, node, listed)
        return list(common.values())

    async def late_duplicate(self, node: GraphNode) -> Duplicate | None:
        """Return what a resource would have of another one, if its inputs were not known before the run.

        Args:
            node: the resource, which is about to be provisioned.

        Raises:
            DriverError: a driver raises an error of its own.
            StoreError: the records of other environments cannot be read.
        """
        if node.key in self._compared_keys:
            return None
        return next(iter(await self.duplicates([node], [node])), None)

    def _sole(self, node: GraphNode) -> list[ManagedObject]:
        objects = [each for each in self._by_inputs(node) if each.ownership != "shared"]
        evaluated = None if self._values is None else self._values.evaluated_before(node.key)
        if evaluated is not None and evaluated.is_known:
            self._compared_keys.add(node.key)
        return objects

    async def _known_owners(self) -> _Owners:
        if self._owners is None:
            self._owners = {}
            for name, each in await self._elsewhere():
                if each.ownership != "shared":
                    _owner_of(each, Owner(name, None), self._owners)
        return self._owners

    def undetermined(self, nodes: Iterable[GraphNode]) -> list[ResourceKey]:
        """Return the resources of which only provisioning tells what they make.

        Args:
            nodes: the resources to be provisioned.

        Raises:
            DriverError: a driver raises an error of its own.
        """
        drivers = self._services.driver
        naming = [node for node in nodes if drivers(node.driver).names_objects]
        return [node.key for node in naming if not self._by_inputs(node)]

    def _by_inputs(self, node: GraphNode) -> Iterable[ManagedObject]:
        """Return what a resource of the graph makes, as far as its inputs tell."""
        driver = self._driver(node.driver)
        if self._values is None or driver is None or driver.is_pure or not driver.names_objects:
            return ()
        try:
            evaluated = self._values.evaluated(node)
        except EnsueError:
            return ()  # Its state reports it.
        return driver.manages(self._services.requests.of(evaluated, None, self._services.idle))

    def _of_nodes(
        self,
        nodes: Iterable[GraphNode],
        kept: Mapping[ResourceKey, ActiveResource],
    ) -> Iterator[tuple[str, ManagedObject]]:
        for node in nodes:
            record = kept.get(node.key)
            known = () if record is None else self._managed(record)
            for each in self._by_inputs(node) or known:
                yield str(node.key), each

    def _of_records(self, records: Iterable[ActiveResource]) -> Iterator[tuple[str, ManagedObject]]:
        for record in records:
            for each in self._managed(record):
                yield str(record.key), each

    async def _elsewhere(self) -> list[tuple[str, ManagedObject]]:
        if self._others is None:
            stored = await asyncio.to_thread(lambda: list(self._load_others()))
            self._others = [
                (f"{record.key} of {context.environment}", each)
                for context, whole in stored
                if context.environment != self._context.environment
                for record in records_of(whole)
                for each in self._managed(record)
            ]
        return self._others

    def _managed(self, record: ActiveResource) -> Iterable[ManagedObject]:
        driver = self._driver(record.driver)
        return () if driver is None or driver.is_pure else driver.managed(record.cookie)

    def _driver(self, name: str) -> ProvisioningDriver | None:
        """Return a driver; None: it is missing, and another project or an excluded resource uses it."""
        try:
            return self._services.driver(name)
        except EnsueError:
            return None


def _owner_of(object_: ManagedObject, candidate: Owner, owners: _Owners) -> Owner:
    """Return the owner of an object; the candidate becomes it if there is none."""
    there = owners.setdefault(object_.place, [])
    owner = next((owner for each, owner in there if each.is_same(object_)), None)
    if owner is None:
        there.append((object_, candidate))
    return owner or candidate
