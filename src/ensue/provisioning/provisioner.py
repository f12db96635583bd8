"""Provision one resource: call its driver unless nothing has changed, and store the result.

A record is written before a driver is called and after it has returned. If the process is killed in between,
the record shows this, and the next deployment tells the driver.

Source: Humanitec, "Drivers" and "Active Resources".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from ensue.errors import DriverError, InternalError
from ensue.model.data import is_mapping
from ensue.model.merged import merged
from ensue.provisioning.active import ActiveResource
from ensue.provisioning.canonical import canonical
from ensue.provisioning.code_inputs import refuse_foreign_code
from ensue.provisioning.graph_values import Outputs
from ensue.provisioning.secret_refs import secret_references
from ensue.provisioning.sensitive import Path, differing, texts_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from ensue.contracts.driver import CodeKind, DriverRequest, DriverServices, Planned, Provisioned
    from ensue.model.data import Data, DataMap
    from ensue.provisioning.active import ActiveResources, Phase
    from ensue.provisioning.graph_values import EvaluatedNode, GraphValues
    from ensue.provisioning.identity import Key
    from ensue.provisioning.nodes import Node
    from ensue.provisioning.requests import Requests
    from ensue.provisioning.secret_refs import SecretReference

Status: TypeAlias = Literal[
    "created", "updated", "unchanged", "failed", "skipped", "orphaned", "destroyed", "planned"
]
"""The result of a resource in one deployment."""


class LoadedDriver(Protocol):
    """A driver with the optional parts of its contract filled in; see `ensue.contracts.driver`.

    `name` is the same for all names that definitions may use for it (`postgres`, `humanitec/postgres`).
    """

    name: str
    is_pure: bool
    always_called: bool
    code: Mapping[str, CodeKind]
    inserts_as_data: bool

    async def create(self, request: DriverRequest, /) -> Provisioned:
        """Create a resource."""
        ...

    async def update(self, request: DriverRequest, /) -> Provisioned:
        """Update a resource."""
        ...

    async def delete(self, request: DriverRequest, /) -> None:
        """Delete a resource."""
        ...

    async def plan(self, request: DriverRequest, /) -> Planned:
        """Return what would be done."""
        ...

    async def fingerprint(self, request: DriverRequest, /) -> str:
        """Return a fingerprint of everything beside the inputs that affects the result."""
        ...


class Surroundings(NamedTuple):
    """The services of the run that provisioning uses.

    Args:
        driver: returns a driver by the name that a definition has for it.
        active: keeps active resources.
        mark: returns a keyed fingerprint of bytes; like another one where the key may have changed.
        requests: makes the requests for drivers.
        secrets: reads secrets from stores.
        learn: tells the masker of secrets.
        masked: returns data with all known secrets masked.
    """

    driver: Callable[[str], LoadedDriver]
    active: ActiveResources
    mark: Callable[[bytes, str, str], str]
    requests: Requests
    secrets: Callable[[Sequence[SecretReference]], Awaitable[Mapping[SecretReference, str]]]
    learn: Callable[[Iterable[str]], None]
    masked: Callable[[Any], Any]


class Outcome(NamedTuple):
    """The outcome of one resource.

    Args:
        status: its status.
        comment: one sentence; may be empty.
        outputs: its outputs; None if they are not known.
        old: its earlier record; None: there was none.
        registers: resources that become targetable: SRN to configuration.
        manifests: its Kubernetes manifests.
    """

    status: Status
    comment: str = ""
    outputs: Outputs | None = None
    old: ActiveResource | None = None
    registers: Mapping[str, DataMap] = MappingProxyType({})
    manifests: Mapping[str, Data] = MappingProxyType({})


class DriverCall(NamedTuple):
    """The call of a driver by a state function.

    Args:
        services: the services for the driver, made for this resource.
        test: whether it is a plan.
    """

    services: Callable[[Callable[[DataMap], Awaitable[None]]], DriverServices]
    test: bool


class Provisioner:
    """Provisions the resources of one environment.

    Args:
        values: evaluates the nodes of the graph; None: resources are only removed.
        kept: the records of the environment.
        around: see `Surroundings`.
        digests: the hash of each definition by its id.
    """

    def __init__(
        self,
        values: GraphValues | None,
        kept: Mapping[Key, ActiveResource],
        around: Surroundings,
        digests: Mapping[str, str],
    ) -> None:
        self.kept = dict(kept)
        self._requests = around.requests
        self._context = around.requests.context
        self._values = values
        self._around = around
        self._digests = digests

    async def provision(self, node: Node, call: DriverCall) -> Outcome:
        """Provision a resource after its dependencies.

        Raises:
            DriverError: an input is not available, or would be read as code that came from another resource's
                output; or the driver failed. The resource's record is kept.
            StoreError: the record cannot be written.
        """
        if self._values is None:
            raise InternalError(f"{node.key} is provisioned without a graph")
        evaluated = await self._with_secrets(self._values.evaluated(node))
        self._around.learn(evaluated.secret_texts())
        driver = self._around.driver(node.driver)
        old = self.kept.get(node.key)
        self._learn_of(old)
        request = self._requests.of(evaluated, old, self._services(node.key, call))
        refuse_foreign_code(request, driver.code, may_insert=driver.inserts_as_data)
        mark = await self._mark(driver, evaluated, request, old) if evaluated.is_known else ""
        if old is not None and mark == old.inputs_mark != "" and self._may_be_left(driver, old, request):
            return self._unchanged(node, old, test=call.test)
        if old is None or self._is_driver_of(driver, node, old):
            if call.test:
                return await self._planned(evaluated, driver, request, old)
            return await self._called(evaluated, driver, request, old, mark)
        request = msgspec.structs.replace(request, cookie=None, was_interrupted=False)
        if call.test:
            planned = await self._planned(evaluated, driver, request, None)
            gone = f"what the driver {old.driver} made would be destroyed"
            return planned._replace(comment=f"{gone}; {planned.comment}", old=old)
        await self._delete(old, call)
        made = await self._called(evaluated, driver, request, None, mark)
        return made._replace(old=old)

    async def remove(self, key: Key, call: DriverCall) -> Outcome:
        """Remove an active resource.

        Raises:
            DriverError: the driver failed; the record is kept.
            StoreError: the record cannot be written.
        """
        old = self.kept[key]
        if call.test:
            return Outcome("planned", f"{key} would be destroyed", old=old)
        await self._delete(old, call)
        return Outcome("destroyed", f"{key} was destroyed", old=old)

    async def _with_secrets(self, evaluated: EvaluatedNode) -> EvaluatedNode:
        """Return a node with its secrets from stores, as far as their references are known."""
        wanted = secret_references(evaluated.secret_refs)
        if not wanted or not all(one.is_known for one in wanted):
            return evaluated
        return evaluated.with_secrets(await self._around.secrets(wanted))

    @staticmethod
    def _may_be_left(driver: LoadedDriver, old: ActiveResource, request: DriverRequest) -> bool:
        """Return whether a resource with unchanged inputs and driver needs no call."""
        may_change = not driver.is_pure and request.may_adopt
        return not (old.was_interrupted or driver.always_called or may_change)

    def _is_driver_of(self, driver: LoadedDriver, node: Node, old: ActiveResource) -> bool:
        """Return whether a driver made the recorded resource, under any of its names."""
        return old.driver == node.driver or self._around.driver(old.driver).name == driver.name

    def _unchanged(self, node: Node, old: ActiveResource, *, test: bool) -> Outcome:
        outputs = Outputs(data=old.outputs, secret_paths=old.secret_paths)
        self._note(node.key, outputs)
        now = self._record(node, old)
        if now != old and not test:
            self._keep(now)
        return Outcome("unchanged", "", outputs, old, old.registers, old.manifests)

    async def _planned(
        self,
        evaluated: EvaluatedNode,
        driver: LoadedDriver,
        request: DriverRequest,
        old: ActiveResource | None,
    ) -> Outcome:
        node = evaluated.node
        if driver.is_pure and evaluated.is_known:
            made = self._outputs(evaluated, await driver.create(request))
            self._note(node.key, made)
            return Outcome("planned", _would(node, old), made, old)
        planned = await driver.plan(request)
        if not planned.would_change and old is not None and not old.was_interrupted:
            return self._unchanged(node, old, test=True)
        outputs: Outputs | None = None
        if planned.outputs is not None:
            outputs = self._outputs(evaluated, planned.outputs)
            self._note(node.key, outputs)
        return Outcome("planned", planned.comment or _would(node, old), outputs, old)

    async def _called(
        self,
        evaluated: EvaluatedNode,
        driver: LoadedDriver,
        request: DriverRequest,
        old: ActiveResource | None,
        mark: str,
    ) -> Outcome:
        """Call a driver's create or update, with a record before and after it."""
        node = evaluated.node
        is_there = old is not None and old.phase != "creating"
        begun = self._record(node, old, phase="updating" if is_there else "creating")
        if not driver.is_pure:
            self._keep(begun)
            await self._around.active.flush()
        try:
            made = await (driver.update if is_there else driver.create)(request)
        except BaseException:
            # What the driver has done by then is unknown: the next deployment calls it again, even with the
            # same inputs.
            failed = msgspec.structs.replace(self.kept.get(node.key, begun), inputs_mark="")
            if old is not None or not driver.is_pure:
                self._keep(failed)
            raise
        outputs = self._outputs(evaluated, made)
        kept = self.kept.get(node.key, begun)
        done = msgspec.structs.replace(
            self._record(node, kept, phase="active"),
            inputs_mark=mark,
            outputs=outputs.data,
            secret_paths=outputs.secret_paths,
            manifests=made.manifests,
            cookie=kept.cookie if made.cookie is None else made.cookie,
            registers=dict(made.registers),
        )
        self._keep(done)
        if not driver.is_pure:
            await self._around.active.flush()
        self._note(node.key, outputs)
        status: Status = "updated" if is_there else "created"
        if is_there and made.changed is False:
            status = "unchanged"
        return Outcome(status, made.comment, outputs, old, made.registers, made.manifests)

    async def _delete(self, old: ActiveResource, call: DriverCall) -> None:
        self._learn_of(old)
        driver = self._around.driver(old.driver)
        if not driver.is_pure:
            self._keep(msgspec.structs.replace(old, phase="deleting"))
            await self._around.active.flush()
            await driver.delete(self._requests.of_removal(old, self._services(old.key, call)))
        self.kept.pop(old.key, None)
        self._around.active.remove(self._context, old.key)
        if not driver.is_pure:
            await self._around.active.flush()

    def _outputs(self, evaluated: EvaluatedNode, made: Provisioned) -> Outputs:
        """Return the outputs of a driver as one mapping, with the paths of its secrets."""
        if not (is_mapping(made.values) and is_mapping(made.secrets)):
            raise DriverError(f"{evaluated.node.driver}: its outputs are not a mapping")
        self._around.learn(texts_in(made.secrets))
        data = merged(made.values, made.secrets)
        paths = dict.fromkeys(
            [
                *_leaves(made.secrets, ()),
                *(path for path in evaluated.secret_values if _same(evaluated.values, data, path)),
                *differing(data, self._around.masked(data)),
            ]
        )
        return Outputs(data=data, secret_paths=tuple(paths))

    def _record(self, node: Node, old: ActiveResource | None, phase: Phase | None = None) -> ActiveResource:
        """Return the record of a node, with the values of its earlier record."""
        return ActiveResource(
            key=node.key,
            env_type=self._context.env_type,
            definition=node.definition,
            definition_digest=self._digests[node.definition],
            driver=node.driver,
            depends_on=tuple(node.depends_on),
            phase=phase or (old.phase if old else "creating"),
            inputs_mark=old.inputs_mark if old else "",
            outputs=old.outputs if old else {},
            secret_paths=old.secret_paths if old else (),
            manifests=old.manifests if old else {},
            cookie=old.cookie if old else None,
            registers=old.registers if old else {},
        )

    def _note(self, key: Key, outputs: Outputs) -> None:
        if self._values is not None:
            self._values.note_outputs(key, outputs)

    def _keep(self, resource: ActiveResource) -> None:
        self.kept[resource.key] = resource
        self._around.active.put(self._context, resource)

    def _learn_of(self, old: ActiveResource | None) -> None:
        """Add the secrets of an earlier deployment to the masker; a driver may have them in its cookie."""
        if old is not None:
            self._around.learn(texts_in(old.outputs, old.secret_paths))

    def _services(self, key: Key, call: DriverCall) -> DriverServices:
        return call.services(lambda cookie: self._keep_cookie(key, cookie))

    async def _keep_cookie(self, key: Key, cookie: DataMap) -> None:
        self._keep(msgspec.structs.replace(self.kept[key], cookie=cookie))
        await self._around.active.flush()

    async def _mark(
        self,
        driver: LoadedDriver,
        evaluated: EvaluatedNode,
        request: DriverRequest,
        old: ActiveResource | None,
    ) -> str:
        """Return a keyed fingerprint of all inputs of a resource."""
        given = [
            driver.name,
            evaluated.account,
            evaluated.params,
            evaluated.values,
            evaluated.secrets,
            await driver.fingerprint(request),
        ]
        like = "" if old is None else old.inputs_mark
        return self._around.mark(canonical(given), f"inputs:{evaluated.node.guresid}", like)


def _would(node: Node, old: ActiveResource | None) -> str:
    return f"{node.key} would be {'created' if old is None or old.phase == 'creating' else 'updated'}"


def _leaves(data: Any, path: Path) -> list[Path]:
    """Return the paths of secret outputs: each leaf, so that the keys around it can be shown."""
    if is_mapping(data):
        return [leaf for key, value in data.items() for leaf in _leaves(value, (*path, key))]
    return [path]


def _same(one: Any, other: Any, path: Path) -> bool:
    """Return whether two trees have the same value at a path."""
    for part in path:
        try:
            one, other = one[part], other[part]
        except (KeyError, IndexError, TypeError):
            return False
    return bool(one == other)
