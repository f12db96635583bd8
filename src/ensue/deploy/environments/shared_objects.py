"""Finds removals that would destroy what another resource has made, such as those of a renamed resource.

A removal is compared with all other resources of the store, of this environment and of others: by their
inputs before anything runs, and by what their drivers recorded right before the removal.

Source: resource graph document, "Nothing is destroyed unasked".
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

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


class SharedLoss(NamedTuple):
    """A removal that would destroy what another resource has made.

    Args:
        record: what is removed, or replaced.
        objects: what would be destroyed, as messages name it.
        owner: the resource that has it, as messages name it.
        is_exclusive: whether no other resource can go on with it.
    """

    record: ActiveResource
    objects: str
    owner: str
    is_exclusive: bool

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
        if self.is_exclusive:
            renamed = "if it was renamed, give the resource its former name again"
        own_name = "give one of the two a name of its own, for example with `${context.res.guresid}`"
        return f"{renamed}; otherwise {own_name}"


class Duplicate(NamedTuple):
    """Objects that two resources would have in common, although their driver makes each for one alone.

    Args:
        first: the resource that comes first in the graph.
        second: the other one.
        objects: what it is, as messages name it.
    """

    first: GraphNode
    second: GraphNode
    objects: str


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
            is_exclusive = self._services.driver(record.driver).is_exclusive
            taken: dict[str, dict[str, None]] = {}
            for owner, there in owners:
                if any(each.takes(there) for each in objects):
                    taken.setdefault(owner, {})[there.name] = None
            for owner, names in taken.items():
                listed = ", ".join(list(names)[:_MOST_NAMED])
                losses.append(SharedLoss(record, self._masker.text(listed), owner, is_exclusive))
        return losses

    def duplicates(self, everything: Iterable[GraphNode], nodes: Iterable[GraphNode]) -> list[Duplicate]:
        """Return what resources would have in common although their driver excludes it.

        Args:
            everything: all resources of the graph.
            nodes: those to be provisioned; each of the returned pairs has one of them.

        Raises:
            DriverError: a driver raises an error of its own.
        """
        provisioned = {node.key for node in nodes}
        owners: dict[tuple[str, tuple[str, ...]], GraphNode] = {}
        common: dict[tuple[ResourceKey, ResourceKey], Duplicate] = {}
        for node in everything:
            driver = self._driver(node.driver)
            if driver is None or not driver.is_exclusive:
                continue
            for each in self._by_inputs(node):
                owner = owners.setdefault((driver.name, each.place), node)
                if owner is not node and not provisioned.isdisjoint((owner.key, node.key)):
                    before = common.get((owner.key, node.key))
                    names = self._masker.text(each.name)
                    objects = names if before is None else f"{before.objects}, {names}"
                    common[owner.key, node.key] = Duplicate(owner, node, objects)
        return list(common.values())

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
