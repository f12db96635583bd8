"""What the states of a deployment do: each provisions, clears or removes one resource, or expands a list."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from ensue.core.contracts.driver import lifts_protection
from ensue.core.errors import (
    DestructionRefusedError,
    DiskError,
    DriverError,
    DriverInputError,
    DriverTemplateError,
    EnsueError,
    ForeignOwnerError,
    InternalError,
)
from ensue.core.model.returns import StateReturn
from ensue.deploy.environments.deployment_checks import protected_words
from ensue.deploy.environments.deployment_surroundings import driver_call
from ensue.deploy.environments.refusals import RefusedUpdate
from ensue.deploy.provisioning.active import NO_DATA
from ensue.deploy.provisioning.derived_registrations import (
    forget_derived,
    invalidate_derived,
    register_derived,
)
from ensue.deploy.provisioning.identity import WORKLOAD
from ensue.deploy.provisioning.outcomes import NodeOutcome, UnknownLists
from ensue.deploy.provisioning.records import records_of
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection, Iterable, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.deploy.environments.deploying_call import DeployingCall
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.environments.deployment_growth import DeploymentGrowth
    from ensue.deploy.environments.shared_objects import SharedObjects
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.provisioner import Provisioner
    from ensue.deploy.provisioning.requests import Requests


def problem_of_workload(
    key: ResourceKey, outcome: ProvisioningOutcome, growth: DeploymentGrowth | None, masker: Masker
) -> str:
    """Return why the update operations of a workload cannot be carried out; empty if they can.

    Args:
        key: the resource; what is no workload has no such operations.
        outcome: its outcome.
        growth: the graph.
        masker: masks what is returned.
    """
    if key.type != WORKLOAD or outcome.outputs is None or growth is None:
        return ""
    from ensue.deploy.environments.workload_files import problem_of_update

    node, evaluated = growth.nodes[str(key)], growth.values.evaluated_before(key)
    return problem_of_update(NodeOutcome(key, node.guresid, node, evaluated, None, outcome), masker)


class Removal(NamedTuple):
    """What a deployment removes.

    Args:
        records: the resources to be removed, by name.
        undecided: the resources that may join the graph for a list; then they are not removed.
        sources: those that have registered targets.
        shared: finds what a removal would destroy of another resource.
    """

    records: Mapping[str, ActiveResource]
    undecided: Collection[ResourceKey]
    sources: Collection[ResourceKey]
    shared: SharedObjects


class ResourceStates:
    """What the states of one deployment do.

    Args:
        services: the project.
        requests: makes the requests for drivers.
        provisioner: provisions resources.
        growth: the graph; None: the environment is destroyed.
        outcomes: receives the outcome of each resource.
        removal: what is removed.
    """

    def __init__(
        self,
        services: DeployingProject,
        requests: Requests,
        provisioner: Provisioner,
        growth: DeploymentGrowth | None,
        *,
        outcomes: dict[ResourceKey, ProvisioningOutcome],
        removal: Removal,
    ) -> None:
        self.refused: list[RefusedUpdate] = []
        """The updates that destroy something without being allowed."""
        self.context = requests.context
        self._services = services
        self._requests = requests
        self._provisioner = provisioner
        self._growth = growth
        self._outcomes = outcomes
        self._removal = removal

    @property
    def _nodes(self) -> Mapping[str, GraphNode]:
        return {} if self._growth is None else self._growth.nodes

    async def provision(self, context: DeployingCall, resource: str) -> StateReturn:
        """Provision one resource on behalf of its state."""
        node = self._nodes[resource]
        if self._growth is not None:
            if problem := self._growth.problem_of_node(node, is_plan=context.test):
                return StateReturn(name=resource, result=False, comment=f"not provisioned: {problem}")
            self._growth.started.add(node.key)
        return await self._carried_out(context, resource, node.key, self._provisioned(node, context))

    async def _provisioned(self, node: GraphNode, context: DeployingCall) -> ProvisioningOutcome:
        """Provision a resource, unless another one has what it would make.

        Raises:
            DriverError: another one has it, or the driver failed.
            StoreError: a record cannot be read or written.
        """
        if (double := await self._removal.shared.late_duplicate(node)) is not None:
            raise DriverError(f"nothing was made: {double.words} ({double.remedies})")
        return await self._provisioner.provision(node, driver_call(context))

    async def clear(self, context: DeployingCall, resource: str) -> StateReturn:
        """Destroy, on behalf of its state, what was made for a resource before it was replaced."""
        node = self._nodes.get(resource)
        kept = None if node is None else self._provisioner.kept.get(node.key)
        drivers = ", ".join(record.driver for record in kept.beside) if kept is not None else ""
        if kept is None or not drivers or context.test:
            return StateReturn(name=resource, result=True, comment="nothing else was made for it")
        key = kept.key
        try:
            await self._refuse_loss(kept.beside)
            cleared = await self._provisioner.clear(key, driver_call(context))
        except EnsueError as error:
            problem = self._services.masker.text(
                f"what the driver {drivers} made before is still there: {error}"
            )
            self._outcomes[key] = self._outcomes[key]._replace(status="failed", comment=problem)
            if isinstance(error, DiskError):
                raise  # The run stops at it.
            return StateReturn(name=resource, result=False, comment=problem)
        verb = "left as it is" if cleared.status == "retained" else "destroyed"
        comment = f"what the driver {drivers} made before was {verb}"
        return StateReturn(name=resource, result=True, changes={cleared.status: resource}, comment=comment)

    async def expand(self, context: DeployingCall, name: str) -> StateReturn:
        """Let the resources of a list join the graph on behalf of the list's state, and provision them."""
        if self._growth is None:
            raise InternalError(f"{name} is a list of no graph")
        return await self._growth.expand(context, name)

    async def remove(self, context: DeployingCall, resource: str) -> StateReturn:
        """Remove one resource on behalf of its state, unless it has joined the graph again for a list."""
        record = self._removal.records[resource]
        key = record.key
        if (
            key in self._removal.undecided
            and (answer := self._needed(record, is_plan=context.test)) is not None
        ):
            return answer
        work = self._removed(key, context)
        returned = await self._carried_out(context, resource, key, work)
        if returned.result is True and key in self._removal.sources:
            await invalidate_derived(context.registry, self.context, key)
        return returned

    async def _removed(self, key: ResourceKey, context: DeployingCall) -> ProvisioningOutcome:
        """Remove a resource, unless that would destroy what another one has made meanwhile.

        Raises:
            DriverError: it would, or the driver failed; the record is kept.
            StoreError: a record cannot be read or written.
        """
        if not context.test:
            await self._refuse_loss(records_of(self._provisioner.kept[key]))
        try:
            return await self._provisioner.remove(key, driver_call(context))
        except ForeignOwnerError:
            raise  # It has its remedies.
        except DriverError as error:
            remedy = f"if nothing is left of it, drop its record: --forget={key}"
            raise DriverError(f"{error} ({remedy})") from None

    async def _refuse_loss(self, gone: Iterable[ActiveResource]) -> None:
        """Raise an error if a removal would destroy what another resource has.

        Raises:
            DriverError: it would.
            StoreError: the records of other environments cannot be read.
        """
        kept, removed = self._provisioner.kept, self._removal.records.keys() - self._nodes.keys()
        for record in gone:
            if (loss := await self._removal.shared.loss(record, kept, removed)) is not None:
                raise DriverError(f"nothing was destroyed: {loss.words} ({loss.remedies})")

    def _needed(self, record: ActiveResource, *, is_plan: bool) -> StateReturn | None:
        """Return why a resource that may be in the graph for a list is not removed; None: it is removed."""
        key, name = record.key, str(record.key)
        if name in self._nodes:
            is_there = self._growth is None or not self._growth.problem_of([key])
            return StateReturn(name=name, result=is_there, comment="it is needed")
        undecided = unknown_lists(self._growth, is_plan=is_plan).of_types().get(key.type)
        if undecided is not None:
            return StateReturn(name=name, result=None if is_plan else False, comment=undecided.comment)
        if not (self._requests.is_protected(record) and self._provisioner.removals.may_be_made(record)):
            return None
        problem = (
            f"{protected_words(record, self._provisioner.removals.stays(record))}: {lifts_protection(key)}"
        )
        self._outcomes[key] = ProvisioningOutcome("failed", problem, old=record)
        return StateReturn(name=name, result=False, comment=problem)

    def _input_place(self, error: EnsueError, resource: str) -> str:
        """Return where the input that an error is about is in its definition; empty for another error."""
        node = self._nodes.get(resource)
        match error:
            case DriverTemplateError():
                keys: tuple[str, ...] = ("templates",)
            case DriverInputError():
                keys = error.keys
            case _:
                return ""
        return "" if node is None else node.input_place(("values", *keys))

    async def _carried_out(
        self, context: DeployingCall, resource: str, key: ResourceKey, work: Awaitable[ProvisioningOutcome]
    ) -> StateReturn:
        try:
            outcome = await work
            await self._services.active.flush_when_full()
            if not context.test and outcome.status != "failed":
                await self._register(context, key, outcome)
        except asyncio.CancelledError:
            kept = self._provisioner.kept.get(key)
            what = "the wait until it is ready" if _is_awaited(kept) else "the call of its driver"
            cut = f"{what} was cut short, by `timeout` of its definition or the end of the run"
            self._outcomes[key] = ProvisioningOutcome("failed", cut, old=kept)
            raise
        except EnsueError as error:
            old = self._provisioner.kept.get(key)
            # The outcome and the state are of the resource, so that its name need not be said again.
            comment = f"{self._input_place(error, resource)}{str(error).removeprefix(f'{resource}: ')}"
            problem = self._services.masker.text(comment)
            self._outcomes[key] = ProvisioningOutcome("failed", problem, old=old)
            if isinstance(error, DestructionRefusedError):
                self._refuse(key, error.things, is_protected=error.is_protected)
            if isinstance(error, DiskError):
                raise  # The run stops at it.
            return StateReturn(name=resource, result=False, comment=comment)
        self._outcomes[key] = outcome
        self._refuse_planned(key, outcome)
        if outcome.status == "failed":
            self._outcomes[key] = outcome._replace(comment=self._services.masker.text(outcome.comment))
            return StateReturn(name=resource, result=False, comment=outcome.comment)
        if problem := problem_of_workload(key, outcome, self._growth, self._services.masker):
            self._outcomes[key] = outcome._replace(status="failed", comment=problem)
            return StateReturn(name=resource, result=False, comment=problem)
        changes: DataMap = {} if outcome.status == "unchanged" else {outcome.change: resource}
        result = None if outcome.status == "planned" else True
        comment = outcome.comment or outcome.status
        is_new = outcome.status == "created" or outcome.action == "create"
        return StateReturn(
            name=resource,
            result=result,
            changes=changes,
            comment=comment,
            old_state={"exists": False} if is_new else None,
            warnings=outcome.warnings,
        )

    def _refuse_planned(self, key: ResourceKey, outcome: ProvisioningOutcome) -> None:
        """Note what a plan would destroy without being allowed: each reason, so that all can be mended."""
        if not outcome.destroys:
            return
        if outcome.old is not None and self._requests.is_protected(outcome.old):
            self._refuse(key, outcome.destroys, is_protected=True, is_planned=True)
        if not self._requests.may_replace(key):
            self._refuse(key, outcome.destroys, is_protected=False, is_planned=True)

    def _refuse(
        self, key: ResourceKey, things: Iterable[str], *, is_protected: bool, is_planned: bool = False
    ) -> None:
        names = self._services.masker.text(", ".join(things))
        self.refused.append(RefusedUpdate(key, names, is_protected, is_planned))

    async def _register(self, context: DeployingCall, key: ResourceKey, outcome: ProvisioningOutcome) -> None:
        """Register and orphan targets as the driver says; only a deployment orphans them again."""
        registry = context.registry.on_behalf_of(context.srn)
        if outcome.registers:
            await register_derived(registry, self.context, key, outcome.registers)
        before = outcome.old.registers if outcome.old is not None else NO_DATA
        gone = before.keys() - outcome.registers.keys()
        if gone and outcome.status not in {"destroyed", "retained", "forgotten"}:
            await forget_derived(registry, self.context, key, sorted(gone))


def _is_awaited(kept: ActiveResource | None) -> bool:
    """Return whether a resource is made and not ready yet."""
    return kept is not None and kept.awaits_ready and not kept.was_interrupted


def unknown_lists(growth: DeploymentGrowth | None, *, is_plan: bool) -> UnknownLists:
    """Return the lists of a deployment whose resources have not joined the graph.

    Args:
        growth: its graph; None: the environment is destroyed.
        is_plan: whether nothing is provisioned.
    """
    return UnknownLists() if growth is None else growth.unknown(is_plan=is_plan)
