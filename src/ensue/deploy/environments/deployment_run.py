"""One deployment of a project: its graph is built, checked, planned, and provisioned state by state.

A resource is a state that requires the states of the resources it depends on (`provisioning.lowering`), so
that scheduling, journal, failures and interrupts are the engine's.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from ensue.core.errors import DriverError, InternalError, StoreError
from ensue.deploy.environments.deployment_checks import (
    notice_other_organization,
    refuse_another_type,
    refuse_missing_drivers,
    refuse_rotation,
    refuse_unknown_words,
    refuse_unstorable,
    with_drivers,
)
from ensue.deploy.environments.deployment_growth import DeploymentGrowth, GrowingDeployment
from ensue.deploy.environments.deployment_input_checks import DeploymentChecks
from ensue.deploy.environments.deployment_surroundings import surroundings_of
from ensue.deploy.environments.destruction_checks import DestructionChecks
from ensue.deploy.environments.environment_history import EnvironmentHistory, RequestedSet, unwritten_records
from ensue.deploy.environments.refusals import Refusals
from ensue.deploy.environments.resource_states import (
    Removal,
    ResourceStates,
    problem_of_workload,
    unknown_lists,
)
from ensue.deploy.environments.shared_objects import SharedObjects
from ensue.deploy.provisioning.derived_registrations import derived_sources
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.identity import Context
from ensue.deploy.provisioning.lowering import DeploymentWork, lower
from ensue.deploy.provisioning.outcomes import NodeOutcome, node_outcomes
from ensue.deploy.provisioning.part import (
    is_joining,
    joining_drivers,
    may_be_cleared,
    to_be_deleted,
    used_by_others,
)
from ensue.deploy.provisioning.provisioner import Provisioner
from ensue.deploy.provisioning.requests import Requests
from ensue.deploy.provisioning.settling import settled
from ensue.deploy.provisioning.short_names import with_full_names
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome, Replacing
from ensue.deploy.provisioning.unread_values import warn_of_unread_values
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.report import RunReport
    from ensue.core.model.srn import Srn
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.environments.deployment_reader import DeploymentReader
    from ensue.deploy.environments.workload_files import WrittenWorkloads
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint


class DeploymentRun:
    """A `PlanSource` of the plan of one deployment, and what its states do.

    Args:
        services: the project.
        deployments: reads definitions and the files to deploy.
        order: what is deployed, and where.
        is_test: whether it is a plan.
        warn: receives warnings that matter before anything runs; None: they are warnings of the plan.
        fails_if_refused: whether a plan fails if the deployment would be refused, as that of a state does.
    """

    kind: Literal["deployment"] = "deployment"

    def __init__(
        self,
        services: DeployingProject,
        deployments: DeploymentReader,
        order: DeploymentOrder,
        *,
        is_test: bool,
        warn: Callable[[Diagnostic], None] | None = None,
        fails_if_refused: bool = False,
    ) -> None:
        self.order = order
        self._is_test = is_test
        self.refusals = Refusals(is_plan=is_test and not fails_if_refused)
        self.late_refusals: list[Diagnostic] = []
        """What a plan is warned of once further resources have joined it."""
        self._warn = warn
        self._history = EnvironmentHistory(services, deployments, order, self.refusals)
        self._requested = RequestedSet()
        self.context = Context(app=order.app, env=order.env, env_type=order.env_type, org=order.org)
        self._services = services
        self._deployments = deployments
        self._growth: DeploymentGrowth | None = None
        self._removed: dict[str, ActiveResource] = {}
        self._undecided: set[ResourceKey] = set()
        self._outcomes: dict[ResourceKey, ProvisioningOutcome] = {}
        self._final: tuple[NodeOutcome, ...] | None = None
        """The outcomes once nothing changes any more; None: the deployment is still running."""
        folder = services.settings.cachedir / "drivers"
        self._requests = Requests(self.context, services.settings.root, folder, "", order)
        self._run_services = surroundings_of(self._services, self._requests)
        self._provisioner = Provisioner(None, {}, self._run_services, {})
        self._shared = self._compared(None)
        self._states: ResourceStates | None = None

    async def plan(self, request: GrowthRequest) -> Plan:
        """Return the plan of the requested scope.

        Raises:
            CompileError: the input has errors; the exception has all of them.
            StoreError: what is kept of the environment cannot be read.
        """
        return await self.planned(request.target, request.scope)

    async def planned(self, target: Srn, scope: str) -> Plan:
        """Build the graph, read the stored records, check the inputs, and return the plan. Nothing runs yet.

        Raises:
            CompileError: the input has errors; the exception has all of them.
            StoreError: what is kept of the environment cannot be read.
        """
        order, collector = self.order, Collector()
        refuse_unstorable(self.context, (), collector)
        collector.stop_on_errors()
        self._requested = await asyncio.to_thread(self._history.requested, self.context, collector)
        built = None if order.destroy else await self._built(collector)
        catalog = (
            built.source.catalog if built else await asyncio.to_thread(self._deployments.catalog, collector)
        )
        requested, lists = (built.graph.nodes, built.graph.points) if built is not None else ((), ())
        refuse_unstorable(self.context, requested, collector)
        collector.stop_on_errors()
        kept = await asyncio.to_thread(self._services.active.load, self.context)
        order = self.order = with_full_names(order, {*kept, *(node.key for node in requested)})
        self._growth = None if built is None else self._growth_of(built)
        self._requests = self._requests._replace(
            order=order,
            owner=await asyncio.to_thread(self._services.active.owner, is_kept=not self._is_test),
            catalog=catalog,
        )
        if not kept:
            there = await asyncio.to_thread(self._services.active.organizations, order.app, order.env)
            notice_other_organization(self.context, there, collector)
            if not there:
                await asyncio.to_thread(self._history.notice_new, self.context, built, collector)
        if built is not None and not order.change_env_type:
            refuse_another_type(self.context, kept.values(), built.env_types, collector)
        refuse_unknown_words(order, self._nodes, kept, lists, collector)
        if order.destroy or order.prune:
            self._removed = {str(key): record for key, record in kept.items() if str(key) not in self._nodes}
        part, points = self._growth.part if self._growth is not None else ((), ())
        types = joining_drivers(lists)
        self._undecided = {key for key in kept if key.type in types and str(key) not in self._nodes}
        if order.only:
            self._exclude(part, kept)
        deleted = [*self._removed.values(), *to_be_deleted(self._nodes.values(), kept)]
        refuse_missing_drivers(part, deleted, self._services.drivers, collector)
        rotate = (key for key in order.rotate if key in self._nodes or not is_joining(key, lists))
        refuse_rotation(self._nodes, rotate, self._services.drivers, collector)
        self._make_provisioner(kept)
        nodes = await self._unsettled(with_drivers(part, kept, self._services.drivers), points)
        await self._check(built, nodes, collector)
        removed = [record for record in self._removed.values() if record.key not in self._undecided]
        await self._destruction.refuse_all(tuple(self._nodes.values()), nodes, removed, collector)
        self._states = ResourceStates(
            self._services,
            self._requests,
            self._provisioner,
            self._growth,
            outcomes=self._outcomes,
            removal=Removal(self._removed, self._undecided, await self._derived_sources(), self._shared),
        )
        await self._begin(collector)
        undecided = may_be_cleared(kept, self._undecided, points, order.replace)
        gone = tuple(self._removed.values())
        waits = self._destruction.awaited(nodes, gone)
        work = DeploymentWork(nodes, gone, self._cleared(part, nodes), kept, points, undecided, waits)
        plan = lower(work, target, scope, deployment=self, warnings=tuple(collector.warnings))
        return plan if self._growth is None else self._growth.begun(plan)

    async def _built(self, collector: Collector) -> BuiltGraph:
        documents, images = self._requested.documents, self.order.images
        built = await asyncio.to_thread(self._deployments.built, documents, self.context, collector, images)
        warn_of_unread_values(built.graph.nodes, self.order.values, collector)
        return built

    def _growth_of(self, built: BuiltGraph) -> DeploymentGrowth:
        values = GraphValues(built.graph, self._requested.values, is_complete=True)
        deployment = GrowingDeployment(self._outcomes, self._admit, self._joined, self.order.only)
        return DeploymentGrowth(built, values, deployment)

    async def _derived_sources(self) -> set[ResourceKey]:
        """Return the resources to be removed that have registered targets."""
        keys = [record.key for record in self._removed.values()]
        if not keys:
            return set()
        return await asyncio.to_thread(derived_sources, self._services.registry, self.context, keys)

    async def _unsettled(
        self, nodes: Sequence[GraphNode], points: Sequence[GrowthPoint]
    ) -> Sequence[GraphNode]:
        """Note the outcomes of the resources that are left as they are; return the others."""
        if self._growth is None or not self._provisioner.kept:
            return nodes
        waiting = {key for point in points for key in point.waiting}
        growth, masker = self._growth, self._services.masker
        outcomes = await settled(
            nodes,
            self._provisioner,
            waiting=waiting,
            is_usable=lambda key, outcome: not problem_of_workload(key, outcome, growth, masker),
        )
        self._outcomes.update(outcomes)
        self._growth.started.update(outcomes)
        return [node for node in nodes if node.key not in outcomes]

    async def _check(
        self, built: BuiltGraph | None, nodes: Sequence[GraphNode], collector: Collector
    ) -> None:
        """Check the inputs of resources before any of them is provisioned.

        Raises:
            CompileError: they have errors.
        """
        foreseen = self._provisioner.foreseen
        if built is not None and self._growth is not None and foreseen is not None:
            checks = DeploymentChecks(
                built, self._growth.values, foreseen, self._run_services, self._services
            )
            await checks.run(nodes, collector)
        collector.stop_on_errors()

    def _make_provisioner(self, kept: Mapping[ResourceKey, ActiveResource]) -> None:
        values, built = (None if self._growth is None else self._growth.values), self.built
        replacing = Replacing(
            self._requests.may_replace,
            built.source.destroy_first if built is not None else (),
            frozenset(self.order.replace),
        )
        digests = built.source.digests if built is not None else {}
        self._run_services = surroundings_of(self._services, self._requests)
        self._provisioner = Provisioner(values, kept, self._run_services, digests, replacing)
        self._shared = self._compared(values)

    def _compared(self, values: GraphValues | None) -> SharedObjects:
        services = self._services
        return SharedObjects(self.context, self._run_services, values, services.active.all, services.masker)

    @property
    def _destruction(self) -> DestructionChecks:
        return DestructionChecks(
            provisioner=self._provisioner,
            requests=self._requests,
            refusals=self.refusals,
            shared=self._shared,
            replace=self.order.replace,
        )

    async def _admit(self, built: BuiltGraph, nodes: Sequence[GraphNode], collector: Collector) -> None:
        """Check resources that are about to join the graph.

        Raises:
            CompileError: they cannot be provisioned, or something would be destroyed.
        """
        refuse_unstorable(self.context, nodes, collector)
        deleted = to_be_deleted(nodes, self._provisioner.kept)
        refuse_missing_drivers(nodes, deleted, self._services.drivers, collector)
        collector.stop_on_errors()
        names = {node.name: node for node in nodes}
        refuse_rotation(names, filter(names.get, self.order.rotate), self._services.drivers, collector)
        await self._check(built, nodes, collector)
        refused = Collector()
        await self._destruction.refuse(built.graph.nodes, nodes, (), refused)
        self.late_refusals += refused.warnings

    def _joined(self, built: BuiltGraph) -> None:
        self._history.grew(built)
        if self.order.only and self._growth is not None:
            self._exclude(self._growth.part[0], self._provisioner.kept)

    def _exclude(self, part: Iterable[GraphNode], kept: Mapping[ResourceKey, ActiveResource]) -> None:
        """Note that the rest of the graph is left as it is."""
        inside = {node.key for node in part}
        for key in inside:
            if (known := self._outcomes.get(key)) is not None and known.status == "excluded":
                del self._outcomes[key]
        for key in {node.key for node in self._nodes.values()} | self._undecided:
            if key not in inside and (key in self._undecided or key not in self._outcomes):
                self._outcomes.setdefault(
                    key, ProvisioningOutcome("excluded", "--only leaves it out", old=kept.get(key))
                )

    async def _begin(self, collector: Collector) -> None:
        """Report what leaves the environment, and keep the deployment unless it is a plan."""
        warn: Callable[[Diagnostic], None] = self._warn or (lambda notice: collector.add([notice]))
        for notice in self._history.notices(self.context, self._requested, self.built):
            warn(notice)
        is_nothing = self.order.destroy and not self._provisioner.kept and self._history.has_nothing
        if not self._is_test and not is_nothing:
            await asyncio.to_thread(self._history.begin, self.context, self._requested, self.built)

    @property
    def built(self) -> BuiltGraph | None:
        """The graph as it is by now; None if the environment is destroyed."""
        return None if self._growth is None else self._growth.built

    @property
    def _nodes(self) -> Mapping[str, GraphNode]:
        return {} if self._growth is None else self._growth.nodes

    @property
    def environment(self) -> str:
        """The environment: `[ORG/]APP/ENV`."""
        return self.context.environment

    @property
    def states(self) -> ResourceStates:
        """What its states do."""
        if self._states is None:
            raise InternalError("a state of a deployment has no plan")
        return self._states

    async def recorded(self, report: RunReport) -> RunReport:
        """Write the remaining records, and return the report, which says if they cannot be written."""
        try:
            await self._services.active.flush()
            await self._end(report)
        except StoreError as error:
            return report.as_stopped(str(error), unwritten_records(error))
        return report

    async def end(self) -> tuple[NodeOutcome, ...]:
        """Write the remaining records; return the outcome of every resource, in the order of provisioning.

        Raises:
            StoreError: a record cannot be written.
        """
        await self._services.active.flush()
        await self._end()
        return self.outcomes()

    async def _end(self, report: RunReport | None = None) -> None:
        self._final = self.outcomes()
        await asyncio.to_thread(self._history.end, self.context, self._final, report)

    def outcomes(self) -> tuple[NodeOutcome, ...]:
        """Return the outcome of every resource, in the order of provisioning."""
        if self._final is not None:
            return self._final
        graph = self.built.graph if self.built else None
        removed = {record.key for record in self._removed.values()}
        kept = self._provisioner.kept
        values = None if self._growth is None else self._growth.values
        lists = unknown_lists(self._growth, is_plan=self._is_test)
        return tuple(
            node_outcomes(graph, self.context, values, kept, self._outcomes, removed=removed, lists=lists)
        )

    def _cleared(self, part: Sequence[GraphNode], nodes: Sequence[GraphNode]) -> set[ResourceKey]:
        """Return the resources of which something is to be destroyed once they are there."""
        kept = self._provisioner.kept
        cleared = {node.key for node in nodes if self._leaves_something(kept.get(node.key), node)}
        return cleared - used_by_others(kept, part) if self.order.only else cleared

    def _leaves_something(self, kept: ActiveResource | None, node: GraphNode) -> bool:
        """Return whether something that was made for a resource is left once the resource is there."""
        return kept is not None and (bool(kept.beside) or self._provisioner.replaces(node) is not None)

    async def rendered(self, nodes: Sequence[NodeOutcome]) -> WrittenWorkloads:
        """Render workloads, if requested and nothing failed.

        Raises:
            CompileError: a workload cannot be rendered.
            DriverError: a file cannot be read or written.
        """
        from ensue.deploy.environments import workload_files

        statuses = {resource.outcome.status for resource in nodes}
        if not self.order.render or statuses & {"failed", "skipped"}:
            return workload_files.WrittenWorkloads()
        try:
            return await asyncio.to_thread(
                workload_files.write_workloads, nodes, self._requested.documents, self.order, self._services
            )
        except OSError as error:
            raise DriverError(f"workloads cannot be rendered to {self.order.render_to}: {error}") from None
