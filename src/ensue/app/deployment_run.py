"""One deployment of a project: its graph is built, checked, planned, and provisioned state by state.

A resource is a state that requires the states of the resources it depends on (`provisioning.lowering`), so
that scheduling, journal, failures and interrupts are the engine's.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from ensue.app.deployment_checks import (
    notice_other_organization,
    refuse_another_type,
    refuse_missing_drivers,
    refuse_protected,
    refuse_replacements,
    refuse_retained,
    refuse_rotation,
    refuse_unknown_resources,
    refuse_unstorable,
)
from ensue.app.deployment_input_checks import DeploymentChecks
from ensue.app.driver_services import ResourceServices
from ensue.app.environment_history import EnvironmentHistory, RequestedSet
from ensue.diagnostics import Diagnostic
from ensue.errors import DestructionRefusedError, DiskError, DriverError, EnsueError, StoreError
from ensue.language.collector import Collector
from ensue.model.returns import StateReturn
from ensue.provisioning.derived_registrations import (
    derived_sources,
    forget_derived,
    invalidate_derived,
    register_derived,
)
from ensue.provisioning.graph_values import GraphValues
from ensue.provisioning.identity import WORKLOAD, Context
from ensue.provisioning.lowering import Work, lower
from ensue.provisioning.outcomes import NodeOutcome, node_outcomes
from ensue.provisioning.part import used_by_others, with_dependencies
from ensue.provisioning.provisioner import Provisioner
from ensue.provisioning.requests import Requests
from ensue.provisioning.surroundings import DriverCall, Outcome, Replacing, Surroundings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from ensue.app.deploying_call import DeployingCall
    from ensue.app.deployments import BuiltGraph, Deployments
    from ensue.app.services import Services
    from ensue.app.workload_files import WrittenWorkloads
    from ensue.contracts.deployment import DeploymentOrder
    from ensue.contracts.driver import DriverServices
    from ensue.contracts.growth import GrowthRequest, Plan
    from ensue.model.data import DataMap
    from ensue.model.report import RunReport
    from ensue.model.srn import Srn
    from ensue.provisioning.active import ActiveResource
    from ensue.provisioning.identity import Key
    from ensue.provisioning.nodes import Node


class DeploymentRun:
    """A `PlanSource` of the plan of one deployment, and what its states do.

    Args:
        services: the project.
        deployments: reads definitions and the files to deploy.
        order: what is deployed, and where.
        is_test: whether it is a plan.
        warn: receives warnings that matter before anything runs; None: they are warnings of the plan.
    """

    kind: Literal["deployment"] = "deployment"

    def __init__(
        self,
        services: Services,
        deployments: Deployments,
        order: DeploymentOrder,
        *,
        is_test: bool,
        warn: Callable[[Diagnostic], None] | None = None,
    ) -> None:
        self.order = order
        self._is_test = is_test
        self._warn = warn
        self._history = EnvironmentHistory(services, deployments, order)
        self._requested = RequestedSet()
        self.context = Context(app=order.app, env=order.env, env_type=order.env_type, org=order.org)
        self.built: BuiltGraph | None = None
        """The graph; None if the environment is destroyed."""
        self._services = services
        self._deployments = deployments
        self._values: GraphValues | None = None
        self._nodes: dict[str, Node] = {}
        self._removed: dict[str, ActiveResource] = {}
        self._sources: set[Key] = set()
        self._outcomes: dict[Key, Outcome] = {}
        folder = services.settings.cachedir / "drivers"
        self._requests = Requests(self.context, services.settings.root, folder, "", order)
        self.refused: dict[Key, str] = {}
        """Resources of which an update would have destroyed something, and that; it was not allowed."""
        self._provisioner = Provisioner(None, {}, self._surroundings(), {})

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
        order, found = self.order, Collector()
        refuse_unstorable(self.context, (), found)
        found.stop_on_errors()
        self._requested = await asyncio.to_thread(self._history.requested, self.context, found)
        if not order.destroy:
            self.built = await asyncio.to_thread(
                self._deployments.built, self._requested.documents, self.context, found, order.images
            )
            self._values = GraphValues(self.built.graph, self._requested.values, is_complete=True)
            self._nodes = {str(node.key): node for node in self.built.graph.nodes}
        refuse_unstorable(self.context, self._nodes.values(), found)
        found.stop_on_errors()
        kept = await asyncio.to_thread(self._services.active.load, self.context)
        owner = await asyncio.to_thread(self._services.active.owner, is_kept=not self._is_test)
        self._requests = self._requests._replace(owner=owner)
        if not kept:
            there = await asyncio.to_thread(self._services.active.organizations, order.app, order.env)
            notice_other_organization(self.context, there, found)
        if self.built is not None and not order.change_env_type:
            refuse_another_type(self.context, kept.values(), self.built.env_types, found)
        words = {"--adopt": order.adopt, "--allow-replace": order.allow_replace, "--rotate": order.rotate}
        refuse_unknown_resources(words, {*self._nodes, *map(str, kept)}, found)
        refuse_unknown_resources({"--replace": order.replace, "--only": order.only}, self._nodes, found)
        if order.destroy or order.prune:
            self._removed = {str(key): one for key, one in kept.items() if str(key) not in self._nodes}
        nodes = tuple(self._nodes.values())
        if order.only:
            nodes = with_dependencies(nodes, order.only)
            self._exclude(nodes, kept)
        deleted = [one for one in kept.values() if str(one.key) in self._removed or self._is_replaced(one)]
        deleted += [beside for one in kept.values() for beside in one.beside]
        refuse_missing_drivers(nodes, deleted, self._services.drivers, found)
        found.stop_on_errors()
        refuse_rotation(self._nodes, order.rotate, self._services.drivers, found)
        if self.built is not None and self._values is not None:
            checks = DeploymentChecks(self.built, self._values, self._requests, self._services)
            await checks.run(nodes, found)
        found.stop_on_errors()
        self._refuse_destruction(nodes, kept, found)
        removed = [one.key for one in self._removed.values()]
        if removed:
            self._sources = await asyncio.to_thread(
                derived_sources, self._services.registry, self.context, removed
            )
        await self._begin(found)
        cleared = {node.key for node in nodes if self._leaves_something(kept.get(node.key), node)}
        if order.only:
            cleared -= used_by_others(kept, nodes)
        work = Work(nodes, tuple(self._removed.values()), cleared, kept)
        return lower(work, target, scope, deployment=self, warnings=tuple(found.warnings))

    def _refuse_destruction(
        self, nodes: Sequence[Node], kept: Mapping[Key, ActiveResource], found: Collector
    ) -> None:
        """Make the provisioner, and refuse what it would destroy although that is not allowed.

        Raises:
            CompileError: something is protected or retained.
            ReplacementError: a replacement is not allowed.
        """
        digests = self.built.digests if self.built else {}
        may_replace = self._requests.may_replace
        replacing = Replacing(
            may_replace, self.built.destroy_first if self.built else (), frozenset(self.order.replace)
        )
        self._provisioner = Provisioner(self._values, kept, self._surroundings(), digests, replacing)
        anew = (kept.get(node.key) for node in nodes if str(node.key) in self.order.replace)
        refuse_retained(filter(None, anew), found)
        gone = [*self._removed.values(), *filter(None, map(self._provisioner.replaces, nodes))]
        refuse_protected(
            filter(self._requests.is_protected, gone), found.warning if self._is_test else found.error
        )
        found.stop_on_errors()
        if not self._is_test:
            refuse_replacements(nodes, self._provisioner.replaces, may_replace, found.warnings)

    def _exclude(self, part: Iterable[Node], kept: Mapping[Key, ActiveResource]) -> None:
        """Note that the rest of the graph is left as it is."""
        left = {node.key for node in self._nodes.values()}.difference(node.key for node in part)
        for key in left:
            self._outcomes[key] = Outcome("excluded", "--only leaves it out", old=kept.get(key))

    async def _begin(self, found: Collector) -> None:
        """Report what leaves the environment, and keep the deployment unless it is a plan."""
        for notice in self._history.notices(self.context, self._requested, self.built):
            if self._warn is None:
                found.add([notice])
            else:
                self._warn(notice)
        is_nothing = self.order.destroy and not self._provisioner.kept and self._history.has_nothing
        if not self._is_test and not is_nothing:
            await asyncio.to_thread(self._history.begin, self.context, self._requested, self.built)

    @property
    def environment(self) -> str:
        """The environment: `[ORG/]APP/ENV`."""
        return self.context.environment

    async def provision(self, context: DeployingCall, resource: str) -> StateReturn:
        """Provision one resource on behalf of its state."""
        node = self._nodes[resource]
        work = self._provisioner.provision(node, self._call(context))
        return await self._carried_out(context, node.key, work)

    async def clear(self, context: DeployingCall, resource: str) -> StateReturn:
        """Destroy, on behalf of its state, what was made for a resource before it was replaced."""
        key = self._nodes[resource].key
        kept = self._provisioner.kept.get(key)
        drivers = ", ".join(one.driver for one in kept.beside) if kept is not None else ""
        if not drivers or context.test:
            return StateReturn(name=str(key), result=True, comment="nothing else was made for it")
        try:
            cleared = await self._provisioner.clear(key, self._call(context))
        except EnsueError as error:
            problem = self._services.masker.text(
                f"what the driver {drivers} made before is still there: {error}"
            )
            self._outcomes[key] = self._outcomes[key]._replace(status="failed", comment=problem)
            if isinstance(error, DiskError):
                raise  # The run stops at it.
            return StateReturn(name=str(key), result=False, comment=problem)
        verb = "left as it is" if cleared.status == "retained" else "destroyed"
        comment = f"what the driver {drivers} made before was {verb}"
        return StateReturn(name=str(key), result=True, changes={cleared.status: str(key)}, comment=comment)

    async def remove(self, context: DeployingCall, resource: str) -> StateReturn:
        """Remove one resource on behalf of its state."""
        key = self._removed[resource].key
        returned = await self._carried_out(context, key, self._provisioner.remove(key, self._call(context)))
        if returned.result is True and key in self._sources:
            await invalidate_derived(context.registry, self.context, key)
        return returned

    async def recorded(self, report: RunReport) -> RunReport:
        """Write the remaining records, and return the report, which says if they cannot be written."""
        try:
            await self._services.active.flush()
            await self._end(report)
        except StoreError as error:
            warning = Diagnostic(
                code="E0112",
                summary=f"records of resources were not written: {error}",
                detail="the next deployment calls their drivers again",
                help="make room on the disk, or the file writable, and deploy again",
            )
            return report.as_stopped(str(error), warning)
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
        await asyncio.to_thread(self._history.end, self.context, self.outcomes(), report)

    def outcomes(self) -> tuple[NodeOutcome, ...]:
        """Return the outcome of every resource, in the order of provisioning."""
        graph = self.built.graph if self.built else None
        removed = {one.key for one in self._removed.values()}
        kept = self._provisioner.kept
        return tuple(node_outcomes(graph, self.context, self._values, kept, self._outcomes, removed=removed))

    def _leaves_something(self, kept: ActiveResource | None, node: Node) -> bool:
        """Return whether something that was made for a resource is left once the resource is there."""
        return kept is not None and (bool(kept.beside) or self._provisioner.replaces(node) is not None)

    def _is_replaced(self, kept: ActiveResource) -> bool:
        """Return whether the graph has another driver for a resource than the one that made it."""
        node = self._nodes.get(str(kept.key))
        return node is not None and node.driver != kept.driver

    async def rendered(self, nodes: Sequence[NodeOutcome]) -> WrittenWorkloads:
        """Render workloads, if requested and nothing failed.

        Raises:
            CompileError: a workload cannot be rendered.
            DriverError: a file cannot be read or written.
        """
        from ensue.app import workload_files

        if not self.order.render or any(one.outcome.status in {"failed", "skipped"} for one in nodes):
            return workload_files.WrittenWorkloads()
        try:
            return await asyncio.to_thread(
                workload_files.write_workloads,
                nodes,
                self._requested.documents,
                self.order,
                self._services,
            )
        except OSError as error:
            raise DriverError(f"workloads cannot be rendered to {self.order.render_to}: {error}") from None

    async def _carried_out(self, context: DeployingCall, key: Key, work: Awaitable[Outcome]) -> StateReturn:
        try:
            outcome = await work
            await self._services.active.flush_when_full()
            if not context.test:
                await self._register(context, key, outcome)
        except asyncio.CancelledError:
            cut = "the call of its driver was cut short, by `timeout` of its definition or the end of the run"
            self._outcomes[key] = Outcome("failed", cut, old=self._provisioner.kept.get(key))
            raise
        except EnsueError as error:
            old = self._provisioner.kept.get(key)
            problem = self._services.masker.text(str(error))
            self._outcomes[key] = Outcome("failed", problem, old=old)
            if isinstance(error, DestructionRefusedError):
                self.refused[key] = self._services.masker.text(", ".join(error.things))
            if isinstance(error, DiskError):
                raise  # The run stops at it.
            return StateReturn(name=str(key), result=False, comment=str(error))
        self._outcomes[key] = outcome
        if problem := self._problem_of_update(key, outcome):
            self._outcomes[key] = outcome._replace(status="failed", comment=problem)
            return StateReturn(name=str(key), result=False, comment=problem)
        changes: DataMap = {} if outcome.status == "unchanged" else {outcome.status: str(key)}
        result = None if outcome.status == "planned" else True
        comment = outcome.comment or outcome.status
        return StateReturn(name=str(key), result=result, changes=changes, comment=comment)

    def _problem_of_update(self, key: Key, outcome: Outcome) -> str:
        """Return why the update operations of a workload cannot be carried out; empty if they can."""
        if key.type != WORKLOAD or outcome.outputs is None or self._values is None:
            return ""
        from ensue.app.workload_files import problem_of_update

        node, evaluated = self._nodes[str(key)], self._values.evaluated_before(key)
        one = NodeOutcome(key, node.guresid, node, evaluated, None, outcome)
        return problem_of_update(one, self._services.masker)

    async def _register(self, context: DeployingCall, key: Key, outcome: Outcome) -> None:
        """Register and orphan targets as the driver says; only a deployment orphans them again."""
        registry = context.registry.on_behalf_of(context.srn)
        if outcome.registers:
            await register_derived(registry, self.context, key, outcome.registers)
        before = outcome.old.registers if outcome.old is not None else {}
        gone = before.keys() - outcome.registers.keys()
        if gone and outcome.status not in {"destroyed", "retained"}:
            await forget_derived(registry, self.context, key, sorted(gone))

    def _call(self, context: DeployingCall) -> DriverCall:
        def services(keep: Callable[[DataMap], Awaitable[None]]) -> DriverServices:
            return ResourceServices(context, keep)

        return DriverCall(services, context.test)

    def _surroundings(self) -> Surroundings:
        services = self._services

        def mark(content: bytes, context: str, like: str) -> str:
            return services.vault.fingerprint(content, context=context, like=like)

        def learn(secrets: Iterable[str]) -> None:
            services.masker.add_values(*secrets)

        return Surroundings(
            driver=services.drivers.find,
            active=services.active,
            mark=mark,
            requests=self._requests,
            secrets=services.secret_stores.read_all,
            learn=learn,
            masked=services.masker.data,
        )
