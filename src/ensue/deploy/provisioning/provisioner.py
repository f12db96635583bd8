"""Provision one resource: call its driver unless nothing has changed, and store the result.

A record is written before a driver is called and after it has returned. If the process is killed in between,
the record shows this, and the next deployment tells the driver.

Source: Humanitec, "Drivers" and "Active Resources".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import DriverError, InternalError
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.foreseen_outputs import ForeseenOutputs
from ensue.deploy.provisioning.made_outputs import outputs_of
from ensue.deploy.provisioning.readiness_wait import not_ready, planned_wait
from ensue.deploy.provisioning.recorded_inputs import packed_inputs
from ensue.deploy.provisioning.records import (
    begun,
    is_there,
    promoted,
    records_of,
    renewed,
    succeeded,
    with_cookie,
    with_record,
    words_of,
    would_be,
    would_do,
)
from ensue.deploy.provisioning.removals import Removals
from ensue.deploy.provisioning.steps import ResourceStep, Steps
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome, Replacing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import DriverServices, Provisioned
    from ensue.core.model.data import DataMap
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.surroundings import (
        DriverCall,
        MakeServices,
        ProvisioningDriver,
        ProvisioningServices,
        Status,
    )


class Provisioner:
    """Provisions the resources of one environment.

    Args:
        values: evaluates the nodes of the graph; None: resources are only removed.
        kept: the records of the environment.
        run_services: the services of the run.
        digests: the hash of each definition by its id.
        replacing: what may be replaced; by default nothing.
    """

    def __init__(
        self,
        values: GraphValues | None,
        kept: Mapping[ResourceKey, ActiveResource],
        run_services: ProvisioningServices,
        digests: Mapping[str, str],
        replacing: Replacing = Replacing(),  # noqa: B008 -- it is immutable
    ) -> None:
        self.kept = dict(kept)
        self._requests = run_services.requests
        self._context = run_services.requests.context
        self._run_services = run_services
        self.foreseen = None if values is None else ForeseenOutputs(values, self.kept, run_services)
        self._steps = Steps(values, run_services, digests, replacing)
        self._replacing = replacing
        self.removals = Removals(run_services.driver)

    async def provision(self, node: GraphNode, call: DriverCall) -> ProvisioningOutcome:
        """Provision a resource after its dependencies, and wait until it is ready.

        If it does not become ready, the outcome is a failure; its record says that it is made.

        What another driver made for it stays until `clear` is called, unless the definition says
        `destroy_first`.

        Raises:
            DriverError: an input is not available, or would be read as code that came from another resource's
                output; params that have become known do not satisfy their schema; the resource would be
                replaced, and that is not allowed; or the driver failed. The resource's record is kept.
            StoreError: the record cannot be written.
        """
        values = self._steps.values
        outcome = await self._provisioned(node, call)
        if call.test:
            return planned_wait(outcome, node, values)
        record = self.kept.get(node.key)
        if record is None or not record.awaits_ready:
            return outcome
        problem = await not_ready(node, values, self._run_services.probe, call.clock)
        if problem:
            return outcome._replace(status="failed", comment=problem)
        self._keep(msgspec.structs.replace(self.kept[node.key], awaits_ready=False))
        await self._flush_for(self._run_services.driver(node.driver))
        is_late = outcome.status == "unchanged" and not outcome.comment
        return outcome._replace(comment="it is ready now") if is_late else outcome

    async def _provisioned(self, node: GraphNode, call: DriverCall) -> ProvisioningOutcome:
        whole = self.kept.get(node.key)
        step = await self._step(node, call.services)
        if whole is not None and whole.generation != step.planned.generation:
            return await self._replaced(step, whole, call)
        mark = await self._steps.mark(step)
        if self._steps.is_left(step, mark):
            return self._left(step, test=call.test)
        return await (self._planned(step, mark) if call.test else self._called(step, mark))

    def is_quick(self, node: GraphNode) -> bool:
        """Return whether `left_as_it_is` reads nothing from outside of this process."""
        return self._steps.is_quick(node)

    async def left_as_it_is(self, node: GraphNode) -> ProvisioningOutcome | None:
        """Return the outcome of a resource that needs no call and no record; None: it has to be provisioned.

        Args:
            node: the resource, whose dependencies are left as they are. Its driver makes at most its
                fingerprint.

        Raises:
            DriverError: see `provision`.
            SecretStoreError: a secret cannot be read.
        """
        whole = self.kept.get(node.key)
        if whole is None or whole.beside or whole.registers or whole.awaits_ready:
            return None
        step = await self._step(node, lambda _: self._run_services.idle)
        if step.old is None or renewed(step.planned, step.old) != step.old:
            return None
        is_left = self._steps.is_left(step, await self._steps.mark(step))
        return self._left(step, test=True) if is_left else None

    async def _step(self, node: GraphNode, services: MakeServices) -> ResourceStep:
        """Return a resource on its way to its driver; see `Steps.of`."""
        whole = self.kept.get(node.key)
        return await self._steps.of(
            node, whole, lambda generation: self._services(node.key, generation, services)
        )

    async def clear(self, key: ResourceKey, call: DriverCall) -> ProvisioningOutcome:
        """Destroy what was made for a resource before, or was begun and did not succeed.

        Raises:
            DriverError: a driver failed; the record is kept.
            StoreError: the record cannot be written.
        """
        whole = self.kept[key]
        if call.test:
            return ProvisioningOutcome("planned", "", old=whole, action="destroy")
        for record in whole.beside:
            await self._delete(record, call)
            self._forget(record)
            await self._run_services.active.flush()
        stays = all(self.removals.stays(part) for part in whole.beside)
        return ProvisioningOutcome("retained" if stays else "destroyed", "", old=whole)

    def replaces(self, node: GraphNode) -> ActiveResource | None:
        """Return the record of what a deployment would destroy to replace it; None: nothing."""
        whole = self.kept.get(node.key)
        if whole is None or self._run_services.driver(whole.driver).is_pure:
            return None
        return None if whole is self._steps.made(node, whole) else whole

    def destroyed_for(self, node: GraphNode) -> list[ActiveResource]:
        """Return the records of what is destroyed for a resource: all but what its driver goes on with."""
        whole = self.kept.get(node.key)
        made = self._steps.made(node, whole)
        return [record for record in records_of(whole) if record is not made]

    def is_destroyed_first(self, node: GraphNode) -> bool:
        """Return whether what a resource replaces is destroyed before the resource is made."""
        return node.name in self._replacing.anew or node.definition in self._replacing.destroy_first

    async def remove(self, key: ResourceKey, call: DriverCall) -> ProvisioningOutcome:
        """Remove an active resource.

        Raises:
            DriverError: the driver failed; the record is kept.
            StoreError: the record cannot be written.
        """
        old = self.kept[key]
        if call.test:
            self._steps.learn_of(old)
            return self.removals.planned(old)
        outcome = self.removals.outcome(old)
        for record in (*old.beside, old):
            await self._delete(record, call)
            self._forget(record)
        await self._flush_for(self._run_services.driver(old.driver))
        return outcome

    async def _replaced(
        self, step: ResourceStep, whole: ActiveResource, call: DriverCall
    ) -> ProvisioningOutcome:
        """Make a resource with another driver than the one that made it before, or anew with the same one."""
        node = step.evaluated.node
        gone = self.replaces(node)
        words = words_of(
            whole, node, "" if gone is None else self.removals.stays(gone), is_gone=gone is not None
        )
        if call.test:
            outcome = await self._planned(step, "")
            comment = f"-/+ would be replaced: {words}"
            return outcome._replace(
                status="planned", comment=comment, old=whole, replaces=gone, action="replace"
            )
        if gone is not None and not self._replacing.is_allowed(node.key):
            raise DriverError(f"would be replaced: {words} (allow it with --allow-replace={node.key})")
        mark = await self._steps.mark(step)
        if gone is not None and self.is_destroyed_first(node):
            await self._delete(whole, call)
            self._forget(whole)
        made = await self._called(step, mark)
        return made._replace(status="replaced", comment=words, old=whole, replaces=gone)

    def _left(self, step: ResourceStep, *, test: bool) -> ProvisioningOutcome:
        outcome = self._unchanged(step, test=test)
        return outcome if step.driver.is_pure else outcome._replace(is_compared=True)

    def _unchanged(self, step: ResourceStep, *, test: bool) -> ProvisioningOutcome:
        planned, old = step.planned, step.old
        if old is None:
            raise InternalError(f"{planned.key} is unchanged, and nothing was made")
        outputs = Outputs(data=old.outputs, secret_paths=old.secret_paths)
        self._note(old.key, outputs)
        if not test and (now := renewed(planned, old)) != old:
            self._keep(now)
        return ProvisioningOutcome(
            "unchanged", "", outputs, old, old.registers, old.manifests, old.secret_manifests
        )

    async def _planned(self, step: ResourceStep, mark: str) -> ProvisioningOutcome:
        evaluated, driver, request, old = step.evaluated, step.driver, step.request, step.old
        node = evaluated.node
        is_same = old is not None and mark == old.inputs_mark != ""
        if driver.is_pure and evaluated.is_known:
            made = outputs_of(evaluated, await self._created(step), self._run_services)
            self._note(node.key, made)
            comment, action = would_be(node.key, old, is_same=is_same), would_do(old, is_same=is_same)
            return ProvisioningOutcome("planned", comment, made, old, action=action)
        planned = await driver.plan(request)
        outputs: Outputs | None = None
        if not planned.would_change and old is not None and is_there(old):
            unchanged = self._unchanged(step, test=True)._replace(warnings=node.remarks(planned.warnings))
            if not old.was_interrupted or planned.outputs is None:
                return unchanged
            # What the interrupted call has made is in no record.
            outputs = outputs_of(evaluated, planned.outputs, self._run_services)
            self._note(node.key, outputs)
            return unchanged._replace(outputs=outputs)
        action = would_do(old, is_same=is_same and not request.rotates and not planned.looked)
        if action == "read" and old is not None:
            self._note(node.key, Outputs(data=old.outputs, secret_paths=old.secret_paths))
        if planned.outputs is not None:
            outputs = outputs_of(evaluated, planned.outputs, self._run_services)
            self._note(node.key, outputs)
        comment = planned.comment or would_be(node.key, old, is_same=is_same, rotates=request.rotates)
        destroys = planned.destroys if is_there(old) else ()
        if destroys:
            comment = f"-/+ would destroy {', '.join(planned.destroys)}; {comment}"
            action = "replace"
        return ProvisioningOutcome(
            "planned",
            comment,
            outputs,
            old,
            action=action,
            changes=planned.changes,
            destroys=destroys,
            warnings=node.remarks(planned.warnings),
        )

    async def _called(self, step: ResourceStep, mark: str) -> ProvisioningOutcome:
        """Call a driver's create or update, with a record before and after it."""
        evaluated, driver, request = step.evaluated, step.driver, step.request
        old, planned = step.old, step.planned
        key = planned.key
        is_update = is_there(old)
        destroyed: list[str] = []
        request = msgspec.structs.replace(request, note_destruction=destroyed.extend)
        started = begun(planned, old)
        if not driver.is_pure:
            self._keep(with_record(self.kept.get(key), started))
            await self._run_services.active.flush()
        try:
            made = await (driver.update(request) if is_update else self._created(step))
        except BaseException:
            # What the driver has done by then is unknown: the next deployment calls it again, even with the
            # same inputs.
            if old is not None or not driver.is_pure:
                now = self._record_now(started)
                self._keep(with_record(self.kept.get(key), msgspec.structs.replace(now, inputs_mark="")))
            raise
        outputs = outputs_of(evaluated, made, self._run_services)
        given = msgspec.structs.replace(planned, inputs_mark=mark, inputs=packed_inputs(evaluated))
        is_same = is_update and made.changed is False
        if is_same and old is not None and not old.was_interrupted:
            given = msgspec.structs.replace(given, awaits_ready=given.awaits_ready and old.awaits_ready)
        done = succeeded(given, self._record_now(started), made, outputs)
        whole = self.kept.get(key)
        leaves_nothing = whole is not None and self._run_services.driver(whole.driver).is_pure
        self._keep(promoted(whole, done, leaves_nothing=leaves_nothing))
        await self._flush_for(driver)
        self._note(key, outputs)
        status: Status = "unchanged" if is_same else "updated" if is_update else "created"
        comment = made.comment
        if destroyed and not is_same:
            comment = "; ".join(filter(None, (f"destroyed {', '.join(destroyed)}", made.comment)))
            status = "replaced"
        outcome = ProvisioningOutcome(
            status, comment, outputs, old, done.registers, done.manifests, done.secret_manifests
        )
        return outcome._replace(warnings=evaluated.node.remarks(made.warnings))

    async def _created(self, step: ResourceStep) -> Provisioned:
        """Return what the driver makes, or has made already if it is pure."""
        foreseen = None if self.foreseen is None else self.foreseen.take(step.evaluated)
        return await step.driver.create(step.request) if foreseen is None else foreseen

    def _record_now(self, record: ActiveResource) -> ActiveResource:
        """Return a record as it is stored; itself if it is not."""
        stored = records_of(self.kept.get(record.key))
        return next((each for each in stored if each.generation == record.generation), record)

    async def _delete(self, record: ActiveResource, call: DriverCall) -> None:
        """Delete what one record is about; its record is to be removed by the caller."""
        self._steps.learn_of(record)
        driver = self._run_services.driver(record.driver)
        if driver.is_pure or record.is_retained or not self.removals.was_begun(record):
            return
        self._keep(with_record(self.kept.get(record.key), msgspec.structs.replace(record, phase="deleting")))
        await self._run_services.active.flush()
        services = self._services(record.key, record.generation, call.services)
        await driver.delete(self._requests.of_removal(record, services))

    def _forget(self, record: ActiveResource) -> None:
        """Remove one record of a resource, whose other records stay."""
        left = [each for each in records_of(self.kept[record.key]) if each.generation != record.generation]
        if left:
            self._keep(msgspec.structs.replace(left[0], beside=tuple(left[1:])))
        else:
            del self.kept[record.key]
            self._run_services.active.remove(self._context, record.key)

    async def _flush_for(self, driver: ProvisioningDriver) -> None:
        if not driver.is_pure:
            await self._run_services.active.flush()

    def _note(self, key: ResourceKey, outputs: Outputs) -> None:
        self._steps.values.note_outputs(key, outputs)

    def _keep(self, resource: ActiveResource) -> None:
        self.kept[resource.key] = resource
        self._run_services.active.put(self._context, resource)

    def _services(self, key: ResourceKey, generation: int, make: MakeServices) -> DriverServices:
        return make(lambda cookie: self._keep_cookie(key, generation, cookie))

    async def _keep_cookie(self, key: ResourceKey, generation: int, cookie: DataMap) -> None:
        self._keep(with_cookie(self.kept[key], generation, cookie))
        await self._run_services.active.flush()
