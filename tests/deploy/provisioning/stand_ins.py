"""A provisioner on a graph of the test's own, with drivers that remember and a store in memory."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.deploy.provisioning.building import CONTEXT, definition, deployment, graph

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import EnsueError, NotAvailableError
from ensue.core.masking import Masker
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.outcomes import NodeOutcome, node_outcomes
from ensue.deploy.provisioning.provisioner import Provisioner
from ensue.deploy.provisioning.requests import Requests
from ensue.deploy.provisioning.settling import settled
from ensue.deploy.provisioning.surroundings import (
    DriverCall,
    ProvisioningOutcome,
    ProvisioningServices,
    Replacing,
)
from ensue.language.collector import Collector
from ensue.testing.context import FakeClock
from ensue.testing.driver import FakeDriverServices

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.contracts.driver import CodeKind, DriverRequest, DriverServices
    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.model.data import DataMap
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, ResourceGraph
    from ensue.deploy.provisioning.readiness import Check
    from ensue.deploy.provisioning.secret_refs import SecretReference


class Killed(BaseException):
    """The end of the process, as far as what comes after it is concerned."""


@dataclass
class RememberingDriver:
    """A driver whose outputs are its inputs, and that remembers its calls.

    Args:
        name: its name.
        is_pure: see the contract.
        plan_is_pure: see the contract.
        outputs: see the contract.
        always_called: see the contract.
        code: see the contract.
        inserts_as_data: see the contract.
        print_of: what `fingerprint` returns.
        planned: what `plan` returns.
        made: what create and update return; None: the inputs.
        obstacle: what create, update and delete raise.
        failing: the type for which they raise it; empty: for all.
        cookies: what it keeps on the way, before anything else.
        is_left: what `leaves` returns.
        objects: what `managed` and `destroys` return.
    """

    name: str = "fake"
    is_pure: bool = False
    plan_is_pure: bool = False
    outputs: frozenset[str] = frozenset()
    always_called: bool = False
    keeps_first: bool = False
    code: Mapping[str, CodeKind] = field(default_factory=dict[str, "CodeKind"])
    inserts_as_data: bool = False
    print_of: str = ""
    planned: Planned = field(default_factory=Planned)
    made: Provisioned | None = None
    obstacle: BaseException | None = None
    failing: str = ""
    cookies: list[DataMap] = field(default_factory=list)
    is_left: bool = False
    objects: tuple[ManagedObject, ...] = ()
    calls: list[str] = field(default_factory=list)
    requests: list[DriverRequest] = field(default_factory=list)

    @property
    def has_fingerprint(self) -> bool:
        return bool(self.print_of)

    def leaves(self, cookie: DataMap | None, /) -> bool:
        assert cookie is None or cookie
        return self.is_left

    @property
    def names_objects(self) -> bool:
        return False

    def manages(self, request: DriverRequest, /) -> Sequence[ManagedObject]:
        assert request
        return ()

    def managed(self, cookie: DataMap | None, /) -> Sequence[ManagedObject]:
        assert cookie is None or cookie
        return self.objects

    def destroys(self, cookie: DataMap | None, /) -> Sequence[ManagedObject]:
        return self.managed(cookie)

    async def create(self, request: DriverRequest, /) -> Provisioned:
        return await self._called("create", request)

    async def update(self, request: DriverRequest, /) -> Provisioned:
        return await self._called("update", request)

    async def delete(self, request: DriverRequest, /) -> None:
        await self._called("delete", request)

    async def plan(self, request: DriverRequest, /) -> Planned:
        self._note("plan", request)
        return self.planned

    async def fingerprint(self, request: DriverRequest, /) -> str:
        assert request
        return self.print_of

    def forget(self) -> None:
        """Forget the calls."""
        self.calls.clear()
        self.requests.clear()

    async def _called(self, function: str, request: DriverRequest) -> Provisioned:
        self._note(function, request)
        for cookie in self.cookies:
            await request.services.keep(cookie)
        if self.obstacle is not None and self.failing in {"", request.type}:
            raise self.obstacle
        if self.made is not None:
            return self.made
        values, secrets = request.values or {}, request.secrets or {}
        assert isinstance(values, dict)
        assert isinstance(secrets, dict)
        return Provisioned(values=values, secrets=secrets)

    def _note(self, function: str, request: DriverRequest) -> None:
        self.calls.append(f"{function} {request.type}")
        self.requests.append(request)


@dataclass
class MemoryStore:
    """Active resources in memory: `durable` is what a process that is killed now leaves behind."""

    durable: dict[ResourceKey, ActiveResource] = field(default_factory=dict)
    pending: dict[ResourceKey, ActiveResource | None] = field(default_factory=dict)
    is_full: bool = False
    flushed_phases: list[str] = field(default_factory=list)

    def load(self, context: Context) -> Mapping[ResourceKey, ActiveResource]:
        assert context == CONTEXT
        return dict(self.durable)

    def put(self, context: Context, resource: ActiveResource) -> None:
        assert context == CONTEXT
        self.pending[resource.key] = resource

    def remove(self, context: Context, key: ResourceKey) -> None:
        assert context == CONTEXT
        self.pending[key] = None

    async def flush(self) -> None:
        if self.is_full:
            raise StoreIsFullError
        for key, record in self.pending.items():
            self.flushed_phases.append(f"{key.type} {'removed' if record is None else record.phase}")
            if record is None:
                self.durable.pop(key, None)
            else:
                self.durable[key] = record
        self.pending.clear()


class StoreIsFullError(EnsueError):
    """What the store raises when it is to be full."""

    def __init__(self) -> None:
        super().__init__("the store is full")


class KeepingServices(FakeDriverServices):
    """Services whose cookies are really kept."""

    def __init__(self, keep: Callable[[DataMap], Awaitable[None]], masker: Masker) -> None:
        super().__init__(masker=masker)
        self._keep = keep

    async def keep(self, cookie: DataMap) -> None:
        await self._keep(cookie)


@dataclass
class Environment:
    """One environment over several deployments.

    Args:
        drivers: its drivers by name; a name that is not there is not installed.
        store: what is kept of it.
        clock: its time.
        problems: what the next attempts to find a resource ready say; then it is ready.
        attempt_s: how long they take; then none takes time.
        probed: those attempts.
        stored: what every reference to a secret in a store leads to.
        settles: whether resources that are left as they are are found beforehand, as in a deployment.
    """

    drivers: dict[str, RememberingDriver]
    store: MemoryStore = field(default_factory=MemoryStore)
    masker: Masker = field(default_factory=Masker)
    clock: FakeClock = field(default_factory=FakeClock)
    problems: list[str] = field(default_factory=list[str])
    attempt_s: list[float] = field(default_factory=list[float])
    probed: list[tuple[Check, float]] = field(default_factory=list["tuple[Check, float]"])
    stored: str = ""
    settles: bool = True

    def deploy(
        self,
        resources: dict[str, dict[str, Any]],
        *,
        test: bool = False,
        prune: bool = False,
        may_replace: bool = False,
    ) -> dict[str, ProvisioningOutcome]:
        """Provision the resources of a workload one by one, as the engine does; return the outcomes by type.

        Args:
            resources: what the definition of each type has; the workload declares all of them.
            test: whether it is a plan.
            prune: whether the orphans are removed.
            may_replace: whether other drivers may replace what drivers have made.
        """
        return asyncio.run(self._deployed(resources, test=test, prune=prune, may_replace=may_replace))

    async def _deployed(
        self, resources: dict[str, dict[str, Any]], *, test: bool, prune: bool, may_replace: bool
    ) -> dict[str, ProvisioningOutcome]:
        built = self.built(resources)
        values = GraphValues(built, {})
        provisioner = self.provisioner(values, may_replace=may_replace)
        call = DriverCall(self._services, test, self.clock)
        outcomes: dict[ResourceKey, ProvisioningOutcome] = {}
        if self.settles:
            outcomes = await settled(built.nodes, provisioner)
        for node in built.nodes:
            if node.key not in outcomes and _is_usable(node, outcomes):
                try:
                    outcomes[node.key] = await provisioner.provision(node, call)
                except EnsueError as error:
                    outcomes[node.key] = ProvisioningOutcome("failed", self.masker.text(str(error)))
        if not test:
            await self._cleared(provisioner, call, outcomes)
        if prune:
            for key in provisioner.kept.keys() - {node.key for node in built.nodes}:
                try:
                    outcomes[key] = await provisioner.remove(key, call)
                except EnsueError as error:
                    outcomes[key] = ProvisioningOutcome("failed", self.masker.text(str(error)))
        if not self.store.is_full:
            await self.store.flush()
        self.all = tuple(node_outcomes(built, CONTEXT, values, provisioner.kept, outcomes))
        return {node_outcome.key.type: node_outcome.outcome for node_outcome in self.all}

    all: tuple[NodeOutcome, ...] = ()

    def built(self, resources: dict[str, dict[str, Any]]) -> ResourceGraph:
        """Return the graph of a workload that declares resources of some types, each with its definition."""
        collector = Collector()
        externals = {f"the-{type_}": {"type": type_} for type_ in resources if type_ != "workload"}
        definitions = [definition(type_, collector, **entity) for type_, entity in resources.items()]
        if "workload" not in resources:
            definitions.append(definition("workload", collector, driver_type="pure"))
        return graph(
            deployment({"modules": {"web": {"externals": externals}}}, collector), definitions, collector
        )

    async def _cleared(
        self, provisioner: Provisioner, call: DriverCall, outcomes: dict[ResourceKey, ProvisioningOutcome]
    ) -> None:
        if any(outcome.status == "failed" for outcome in outcomes.values()):
            return
        for key in [key for key, kept in provisioner.kept.items() if kept.beside]:
            try:
                await provisioner.clear(key, call)
            except EnsueError as error:
                outcomes[key] = ProvisioningOutcome("failed", self.masker.text(str(error)))

    def provisioner(self, values: GraphValues | None, *, may_replace: bool = False) -> Provisioner:
        """Return the provisioner of one deployment."""
        destroy_first = frozenset({"db-first"})
        around = ProvisioningServices(
            driver=self._driver,
            active=self.store,
            mark=_mark,
            idle=FakeDriverServices(),
            requests=Requests(CONTEXT, Path("/project"), Path("/project/.ensue/drivers"), "5ca1ab1e0ddba115"),
            secrets=self._secrets,
            learn=lambda secrets: self.masker.add(*secrets),
            masked=self.masker.data,
            probe=self._probe,
        )
        digests = {node.definition: node.definition for node in values.graph.nodes} if values else {}
        replacing = Replacing(lambda _: may_replace, destroy_first)
        return Provisioner(values, self.store.load(CONTEXT), around, digests, replacing)

    async def _secrets(self, references: Sequence[SecretReference]) -> dict[SecretReference, str]:
        return dict.fromkeys(references, self.stored)

    def _driver(self, name: str) -> RememberingDriver:
        if name not in self.drivers:
            raise NotAvailableError(f"there is no driver {name!r}")
        return self.drivers[name]

    async def _probe(self, check: Check, left_s: float) -> str:
        self.probed.append((check, left_s))
        if self.attempt_s:
            await self.clock.sleep(self.attempt_s.pop(0))
        return self.problems.pop(0) if self.problems else ""

    def _services(self, keep: Callable[[DataMap], Awaitable[None]]) -> DriverServices:
        return KeepingServices(keep, self.masker)


def environment(**drivers: RememberingDriver) -> Environment:
    """Return an environment without resources, with a driver `pure` besides those that are given."""
    return Environment({"pure": RememberingDriver("pure", is_pure=True), **drivers})


def _is_usable(node: GraphNode, outcomes: Mapping[ResourceKey, ProvisioningOutcome]) -> bool:
    known = (outcomes[key].status for key in node.depends_on if key in outcomes)
    return not any(status in {"failed", "skipped"} for status in known)


def _mark(content: bytes, context: str, like: str) -> str:
    assert like is not None
    return hashlib.sha256(context.encode() + content).hexdigest()
