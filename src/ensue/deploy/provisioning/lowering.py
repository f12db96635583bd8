"""A resource graph as a plan: a state for each resource, which requires the states of those it depends on.

Resources to be removed come last, each after everything that depends on it, or did when it was provisioned.
What was made for a replaced resource before is destroyed after the resource and all that depends on it.

A list that is not known yet is a state, too, which requires those of its sources. What waits for the list
waits until its resources have joined the graph, and then for those that it depends on: see `Plan.awaits`. A
resource that an earlier deployment provisioned may join the graph for a list: whether it is to be removed, or
something of it is to be destroyed, is decided after the list.
"""

from __future__ import annotations

from collections import deque
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ensue.core.contracts.growth import Plan
from ensue.core.model.chunk import Chunk
from ensue.core.model.requisite import Requisite, RequisiteKind
from ensue.core.model.source_document import NoDocument
from ensue.deploy.provisioning.active import users_of
from ensue.deploy.provisioning.definitions import BESIDE_OTHERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ensue.core.contracts.growth import DeploymentScope
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.chunk import StateOptions
    from ensue.core.model.srn import Srn
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ListName
    from ensue.deploy.provisioning.written import TextPlace

MODULE: Final = "graph"
"""The state module whose functions the states of a deployment call."""

PROVISIONED: Final = "provisioned"
EXPANDED: Final = "expanded"
REMOVED: Final = "removed"
CLEARED: Final = "cleared"

_Name: TypeAlias = "ResourceKey | ListName | str"
"""What a state is for: a resource, a list, or all lists of a type."""


class DeploymentWork(NamedTuple):
    """The resources that a deployment provisions and removes.

    Args:
        nodes: the resources of the graph, in the order of provisioning.
        removed: the resources to be removed.
        cleared: the resources of the graph for which something was made before that is to be destroyed.
        kept: all records of the environment.
        points: the lists that are not known yet.
        undecided: the resources that may join the graph for a list, and may be cleared then.
        awaited: the resources that a removal waits for, by what is removed: only they tell whether they need
            what it destroys.
    """

    nodes: Sequence[GraphNode]
    removed: Sequence[ActiveResource]
    cleared: Collection[ResourceKey]
    kept: Mapping[ResourceKey, ActiveResource]
    points: Sequence[GrowthPoint] = ()
    undecided: Collection[ResourceKey] = ()
    awaited: Mapping[ResourceKey, Sequence[ResourceKey]] = MappingProxyType({})


def lower(
    work: DeploymentWork,
    target: Srn,
    scope: str,
    *,
    deployment: DeploymentScope,
    warnings: tuple[Diagnostic, ...],
) -> Plan:
    """Return the plan of a deployment.

    Args:
        work: the resources.
        target: the machine that runs the deployment.
        scope: the path of the plan's scope.
        deployment: the environment.
        warnings: warnings about its inputs.
    """
    lowering = _Lowering(work)
    lowering.add_all()
    chunks = tuple(lowering.chunks)
    return Plan(chunks=chunks, scope=scope, target=target, deployment=deployment, warnings=warnings)


class _Lowering:
    """The states of one plan, each after those that it requires."""

    def __init__(self, work: DeploymentWork) -> None:
        self.chunks: list[Chunk] = []
        self._work = work
        self._places: dict[_Name, int] = {}

    def add_all(self) -> None:
        """Add the states of all resources and lists."""
        work = self._work
        for node in work.nodes:
            self._add(node.key, PROVISIONED, node.depends_on, node.places[0], node.options)
        for point in work.points:
            self._add(point.name, EXPANDED, point.sources, point.for_each.value.place)
        for key, after in _with_dependents(work.nodes, work.cleared):
            self._add(key, CLEARED, [*after, *(point.name for point in work.points)])
        late = _after_lists(work)
        for key in sorted(work.undecided):
            self._add(key, CLEARED, late)
        for record, users in _users_first(work.removed, work.kept):
            awaited = work.awaited.get(record.key, ())
            self._add(record.key, REMOVED, [*users, *awaited, *self._lists_of(record.key.type)])

    def _lists_of(self, type_: str) -> list[str]:
        """Add one state that requires all lists which may add resources of a type; many states require it."""
        name = f"all lists of {type_}"
        if name not in self._places:
            lists = [point.name for point in self._work.points if type_ in point.types]
            if not lists:
                return []
            self._add(name, EXPANDED, lists)
        return [name]

    def _add(
        self,
        name: _Name,
        function: str,
        required: Iterable[_Name],
        place: TextPlace | None = None,
        options: StateOptions = BESIDE_OTHERS,
    ) -> None:
        before = tuple(sorted({self._places[key] for key in required if key in self._places}))
        number, text = len(self.chunks), str(name)
        self._places.setdefault(name, number)
        self.chunks.append(
            Chunk(
                id=text,
                name=text,
                module=MODULE,
                function=function,
                arguments={},
                sls="",
                order=number,
                document=NoDocument() if place is None else place.document,
                keys=() if place is None else tuple(map(str, place.keys)),
                requisites=(Requisite(RequisiteKind.REQUIRE, before),) if before else (),
                options=options,
            )
        )


def _after_lists(work: DeploymentWork) -> list[ResourceKey | ListName]:
    """Return all lists, and all resources that wait for one of them, directly or not."""
    if not work.undecided:
        return []
    waiting = dict.fromkeys(key for point in work.points for key in sorted(point.waiting))
    return [*(point.name for point in work.points), *_reached(waiting, _users(work.nodes))]


def _with_dependents(
    nodes: Sequence[GraphNode], keys: Collection[ResourceKey]
) -> list[tuple[ResourceKey, list[ResourceKey]]]:
    """Return the wanted resources, each with itself and all that depends on it, directly or not."""
    if not keys:
        return []
    users = _users(nodes)
    return [(node.key, _reached([node.key], users)) for node in nodes if node.key in keys]


def _users(nodes: Iterable[GraphNode]) -> dict[ResourceKey, list[ResourceKey]]:
    users: dict[ResourceKey, list[ResourceKey]] = {}
    for node in nodes:
        for key in node.depends_on:
            users.setdefault(key, []).append(node.key)
    return users


def _reached(
    start: Iterable[ResourceKey], users: Mapping[ResourceKey, list[ResourceKey]]
) -> list[ResourceKey]:
    """Return some resources and all that depends on them, directly or not."""
    reached = dict.fromkeys(start)
    waiting = list(reached)
    while waiting:
        new = [key for key in users.get(waiting.pop(), ()) if key not in reached]
        reached.update(dict.fromkeys(new))
        waiting += new
    return list(reached)


def _users_first(
    removed: Sequence[ActiveResource], kept: Mapping[ResourceKey, ActiveResource]
) -> list[tuple[ActiveResource, list[ResourceKey]]]:
    """Return the resources to remove in the order of removal, each with the resources that use it."""
    if not removed:
        return []
    users = users_of(kept)
    left = {
        resource.key: resource
        for resource in sorted(removed, key=lambda resource: resource.key, reverse=True)
    }
    waits_for = {key: sum(user in left for user in users.get(key, ())) for key in left}
    free = deque(key for key, count in waits_for.items() if not count)
    ordered: list[tuple[ActiveResource, list[ResourceKey]]] = []
    while free:
        record = left.pop(free.popleft())
        ordered.append((record, users.get(record.key, [])))
        for key in record.uses:
            if key in left:
                waits_for[key] -= 1
                if not waits_for[key]:
                    free.append(key)
    # Records of different deployments may form a cycle: the rest is removed in any order, and
    # waits for those of its users that came before.
    return [*ordered, *((resource, users.get(resource.key, [])) for resource in left.values())]
