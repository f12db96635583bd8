"""The resource graph of a deployment while it runs: it grows by the lists that become known.

A list that is an output is a state of its own (`provisioning.lowering`). When its source is provisioned, the
graph is built again with its items, and what has joined runs as growth under the state. Lists that become
known while the graph is built are taken together the next time, so that many lists need few buildings.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from ensue.core.contracts.growth import Awaited
from ensue.core.errors import CompileError, DriverError, ExpansionError
from ensue.core.model.returns import StateReturn
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.provisioning.expansion import NO_ORGANIZATION, refuse_list
from ensue.deploy.provisioning.for_each import items_of
from ensue.deploy.provisioning.lowering import EXPANDED, PROVISIONED, DeploymentWork, lower
from ensue.deploy.provisioning.outcomes import UNUSABLE, UnknownLists
from ensue.deploy.provisioning.part import part_of
from ensue.deploy.provisioning.regrown import refuse_late, unlike_before
from ensue.engine.plans.asked_growth import AskedGrowth
from ensue.engine.promise import Promise
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.errors import EnsueError
    from ensue.core.model.chunk import Chunk
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_call import DeployingCall
    from ensue.deploy.provisioning.for_each import Item
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ListName, ResourceGraph
    from ensue.deploy.provisioning.surroundings import ProvisioningOutcome


class GrowingDeployment(NamedTuple):
    """What growth uses of the deployment.

    Args:
        outcomes: the outcomes of the resources, as the deployment goes on.
        admit: checks resources before they join, with the graph that they join; receives the errors.
        joined: called with the graph that more resources have joined.
        only: the resources that are deployed; none: all.
    """

    outcomes: Mapping[ResourceKey, ProvisioningOutcome]
    admit: Callable[[BuiltGraph, Sequence[GraphNode], Collector], Awaitable[None]]
    joined: Callable[[BuiltGraph], None]
    only: tuple[str, ...]


class DeploymentGrowth:
    """The graph of one deployment while it runs.

    Args:
        built: the graph as it is before anything is provisioned.
        values: evaluates its nodes.
        deployment: the deployment, as growth uses it.
    """

    def __init__(self, built: BuiltGraph, values: GraphValues, deployment: GrowingDeployment) -> None:
        self.built = built
        self.values = values
        self.nodes = {node.name: node for node in built.graph.nodes}
        self.faults: dict[ListName, str] = {}
        """Why lists name no resources."""
        self.started: set[ResourceKey] = set()
        """The resources whose provisioning has begun, or which are left as they are."""
        self._deployment = deployment
        self._points: dict[str, GrowthPoint] = {}
        self._waits: dict[ResourceKey, list[str]] = {}
        self._pending: dict[ListName, Sequence[Item]] = {}
        self._refused: dict[ListName, CompileError] = {}
        self._joined: dict[ListName, Sequence[Item]] = {}
        self._work: dict[ListName, DeploymentWork] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._joining: dict[str, str] = {}
        """The list for which a resource, or another list, has joined the graph."""
        self._opened: dict[str, Promise[None]] = {}
        self.turn = asyncio.Lock()
        """Held while resources join the graph for a list, until they have places in the run."""
        self._note_points()

    @property
    def part(self) -> tuple[tuple[GraphNode, ...], tuple[GrowthPoint, ...]]:
        """The resources that are deployed, and the lists that are not known yet."""
        return part_of(self.built.graph, self._deployment.only)

    def unknown(self, *, is_plan: bool) -> UnknownLists:
        """Return the lists whose resources have not joined the graph."""
        return UnknownLists(self.part[1], self.faults, is_plan)

    def begun(self, plan: Plan) -> Plan:
        """Return a plan of the deployment whose states wait for those of its other plans."""
        if not self._points:
            return plan
        for index, chunk in enumerate(plan.chunks):
            if chunk.function in {PROVISIONED, EXPANDED}:
                self._places[chunk.id] = (plan.scope, index)
        return msgspec.structs.replace(plan, awaits=self._awaited)

    def problem_of(self, needed: Iterable[ResourceKey]) -> str:
        """Return which of the needed resources are not there; empty if all of them are."""
        if not self._points:
            return ""
        outcomes = self._deployment.outcomes
        statuses = ((key, outcomes[key].status if key in outcomes else "skipped") for key in needed)
        return ", ".join(f"{key} {status}" for key, status in statuses if status in UNUSABLE)

    def problem_of_node(self, node: GraphNode, *, is_plan: bool) -> str:
        """Return what a resource needs and is not there; empty if it can be provisioned."""
        if problem := self.problem_of(node.depends_on):
            return problem
        names = (self._points[name].name for name in self._waits.get(node.key, ()))
        missing = [str(name) for name in names if name in self.faults or not is_plan]
        return f"the list for {', '.join(missing)} is not known" if missing else ""

    async def expand(self, context: DeployingCall, name: str) -> StateReturn:
        """Let the resources of a list join the graph, and provision them as growth under the list's state."""
        point = self._points.get(name)
        if point is None:
            return StateReturn(name=name, result=True, comment="all of them are known")
        if problem := self.problem_of(point.sources):
            return StateReturn(name=name, result=False, comment=f"the list is not known: {problem}")
        try:
            items = self._known_items(point, is_plan=context.test)
        except (DriverError, ExpansionError) as error:
            return self._failed(point, _diagnosed(point, error))
        if items is None:
            sources = ", ".join(map(str, point.sources))
            return StateReturn(name=name, result=None, comment=f"known after {sources}")
        self._pending[point.name] = items
        scope_return = await context.grow(
            AskedGrowth(context.srn, ("items",), _JoinedResources(self, point.name))
        )
        if point.name not in self._joined:
            self._pending.pop(point.name, None)
            return self._failed(point, scope_return.comment)
        count = "1 item" if len(items) == 1 else f"{len(items)} items"
        return StateReturn(name=name, result=True, comment=count)

    def _known_items(self, point: GrowthPoint, *, is_plan: bool) -> Sequence[Item] | None:
        """Return the items of a list; None: they are not known in this plan.

        Raises:
            DriverError: the list is an output that its source lacks.
            ExpansionError: it names no resources.
        """
        value = self.values.list_of(point, self.nodes[str(point.name.owner)])
        if not unknowns_in(value):
            return None if is_plan and self._is_read_again(point) else items_of(value)
        if is_plan:
            return None
        raise ExpansionError(NO_ORGANIZATION if self.values.lacks_org else "its value is not known")

    def _is_read_again(self, point: GrowthPoint) -> bool:
        """Return whether a deployment reads what a list depends on again, so that the list may change."""
        outcomes, seen, above = self._deployment.outcomes, set(point.sources), list(point.sources)
        for key in above:
            if key in outcomes and outcomes[key].action == "read":
                return True
            new = [needed for needed in self.nodes[str(key)].depends_on if needed not in seen]
            seen.update(new)
            above.extend(new)
        return False

    def _failed(self, point: GrowthPoint, fault: str) -> StateReturn:
        self.faults[point.name] = fault
        return StateReturn(name=str(point.name), result=False, comment=fault)

    async def join(self, name: ListName) -> DeploymentWork:
        """Return what joins the graph for a list whose items are known, in the turn of the list.

        Raises:
            CompileError: nothing can.
        """
        await self._join(sorted(self._pending))
        if (fault := self._refused.get(name)) is not None:
            raise fault
        return self._work.pop(name, DeploymentWork((), (), (), {}))

    async def _join(self, names: Sequence[ListName]) -> None:
        """Let the resources of lists join; where some of them cannot, those of the others do."""
        if not names:
            return
        try:
            await self._try(names)
        except CompileError as error:
            if len(names) > 1:
                half = len(names) // 2
                await self._join(names[:half])
                await self._join(names[half:])
                return
            self._refused[names[0]] = error
        for name in names:
            self._pending.pop(name, None)

    async def _try(self, names: Sequence[ListName]) -> None:
        """Let the resources of some lists join the graph.

        Raises:
            CompileError: they cannot; the graph stays as it is.
        """
        collector = Collector()
        given = {**self._joined, **{name: self._pending[name] for name in names}}
        before = self.built
        grown = await asyncio.to_thread(before.source.built, collector, given)
        new = list(unlike_before(before.graph, grown.graph))
        await self._deployment.admit(grown, new, collector)
        # Nothing is awaited from here on, so that no resource starts meanwhile.
        nodes, points = self._divided(grown.graph, dict.fromkeys(names))
        refuse_late(before.graph, grown.graph, names, self.started, collector)
        collector.stop_on_errors()
        self.built, self._joined = grown, given
        self.values.grow(grown.graph)
        self.nodes = {node.name: node for node in grown.graph.nodes}
        self._note_points()
        for name in nodes.keys() | points.keys():
            self._work[name] = DeploymentWork(nodes.get(name, []), (), (), {}, points.get(name, []))
            self._joining.update((node.name, str(name)) for node in nodes.get(name, ()))
            self._joining.update((str(point.name), str(name)) for point in points.get(name, ()))
        self._deployment.joined(grown)

    def _note_points(self) -> None:
        self._waits = {}
        for point in self.built.graph.points:
            self._points.setdefault(str(point.name), point)
            for key in point.waiting:
                self._waits.setdefault(key, []).append(str(point.name))

    def _divided(
        self, graph: ResourceGraph, names: Mapping[ListName, None]
    ) -> tuple[dict[ListName, list[GraphNode]], dict[ListName, list[GrowthPoint]]]:
        """Divide what joins the graph among the lists for which it does."""
        nodes: dict[ListName, list[GraphNode]] = {}
        points: dict[ListName, list[GrowthPoint]] = {}
        part, part_points = part_of(graph, self._deployment.only)
        for node in part:
            name = node.name
            if not (name in self._places or name in self._joining or node.key in self.started):
                nodes.setdefault(_one_of(names, node.grown_for), []).append(node)
        for point in part_points:
            if str(point.name) not in self._places and str(point.name) not in self._joining:
                points.setdefault(_one_of(names, point.grown_for), []).append(point)
        return nodes, points

    def _awaited(self, chunk: Chunk) -> Iterator[Awaited]:
        """Yield the states that a state of the deployment waits for; see `Plan.awaits`.

        What waits for a list waits until its resources have places in the run, and then for what it needs.
        """
        names: Iterable[str] = ()
        if chunk.function == PROVISIONED:
            node = self.nodes[chunk.id]
            names = map(str, node.depends_on)
            yield from (awaited for name in self._waits.get(node.key, ()) for awaited in self._opening(name))
        elif chunk.id in self._points:
            names = map(str, self._points[chunk.id].sources)
        for name in names:
            if name in self._places:
                yield Awaited(*self._places[name])
            elif name in self._joining:
                yield from self._opening(self._joining[name])

    def _opening(self, name: str) -> Iterator[Awaited]:
        """Yield what ends when the resources of a list have places, or the list itself has one."""
        if name in self._places:
            yield Awaited(*self._places[name], self.opened(name))
        elif name in self._joining:
            yield from self._opening(self._joining[name])

    def opened(self, name: str) -> Promise[None]:
        """Return what is kept when the resources of a list have places in the run."""
        return self._opened.setdefault(name, Promise())


class _JoinedResources:
    """A `PlanSource` of the resources that join the graph for a list.

    Lists wait for their turn here, where the states of all of them have lent their leases.
    """

    kind: Literal["deployment"] = "deployment"

    def __init__(self, growth: DeploymentGrowth, name: ListName) -> None:
        self._growth = growth
        self._name = name

    async def plan(self, request: GrowthRequest) -> Plan:
        """Return the plan; the engine opens its scope before the next list has its turn.

        Raises:
            CompileError: the resources cannot join the graph.
        """
        deployment = request.plan.deployment
        assert deployment is not None  # noqa: S101 -- the state of a list is in the plan of a deployment
        async with self._growth.turn:
            work = await self._growth.join(self._name)
            plan = lower(work, request.target, request.scope, deployment=deployment, warnings=())
            plan = self._growth.begun(plan)
            self._growth.opened(str(self._name)).resolve(None)
            return plan


def _one_of(names: Mapping[ListName, None], name: ListName | None) -> ListName:
    """Return a name if it is one of several, else the first of them."""
    return name if name is not None and name in names else next(iter(names))


def _diagnosed(point: GrowthPoint, error: EnsueError) -> str:
    collector = Collector()
    refuse_list(point.name, point.for_each, error, collector)
    return collector.errors[0].message
