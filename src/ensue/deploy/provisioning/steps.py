"""A resource on its way to its driver: its inputs, the request, its record, and whether it needs a call.

Nothing here calls a driver, except for a fingerprint, or stores anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ensue.core.errors import InternalError
from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.code_inputs import refuse_foreign_code
from ensue.deploy.provisioning.params_checks import refuse_late_misfits
from ensue.deploy.provisioning.recorded_inputs import inputs_of
from ensue.deploy.provisioning.records import made_by, next_generation
from ensue.deploy.provisioning.secret_refs import secret_references
from ensue.deploy.provisioning.sensitive import texts_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.contracts.driver import DriverRequest, DriverServices
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.requests import Requests
    from ensue.deploy.provisioning.surroundings import ProvisioningDriver, ProvisioningServices, Replacing


def mark_context(guresid: str) -> str:
    """Return what the mark of a resource's inputs is of, so that equal inputs of two have different marks."""
    return f"inputs:{guresid}"


@dataclass(frozen=True, kw_only=True)
class ResourceStep:
    """One resource on its way to its driver.

    Args:
        evaluated: the resource with its inputs.
        driver: the driver.
        old: the record of what the driver has made before, or begun to make; None: nothing.
        planned: its record as the definition wants it; nothing in it was made.
        requests: makes the request.
        services: makes the services of the driver for a generation of the resource.
    """

    evaluated: EvaluatedNode
    driver: ProvisioningDriver
    old: ActiveResource | None
    planned: ActiveResource
    requests: Requests
    services: Callable[[int], DriverServices]

    @cached_property
    def request(self) -> DriverRequest:
        """The request for the driver; a resource that is left as it is often needs none."""
        generation = self.planned.generation
        return self.requests.of(self.evaluated, self.old, self.services(generation), generation)


class Steps:
    """Prepares the resources of one graph for their drivers.

    Args:
        values: evaluates the nodes; None: there is no graph, and `of` is not called.
        run_services: the services of the run.
        digests: the hash of each definition by its id.
        replacing: which resources are made anew.
    """

    def __init__(
        self,
        values: GraphValues | None,
        run_services: ProvisioningServices,
        digests: Mapping[str, str],
        replacing: Replacing,
    ) -> None:
        self._values = values
        self._run_services = run_services
        self._digests = digests
        self._replacing = replacing

    @property
    def values(self) -> GraphValues:
        """Evaluates the nodes."""
        if self._values is None:
            raise InternalError("a resource is provisioned without a graph")
        return self._values

    def is_quick(self, node: GraphNode) -> bool:
        """Return whether `of` and `mark` read nothing from outside of this process."""
        driver = self._run_services.driver(node.driver)
        return (driver.is_pure or not driver.has_fingerprint) and not node.inputs.secret_refs.data

    async def of(
        self, node: GraphNode, whole: ActiveResource | None, services: Callable[[int], DriverServices]
    ) -> ResourceStep:
        """Return a resource on its way to its driver.

        Args:
            node: the resource.
            whole: its record; None: there is none.
            services: makes the services of the driver for a generation of the resource.

        Raises:
            DriverError: an input is not available, or would be read as code that came from another resource's
                output; or params that have become known do not satisfy their schema.
            SecretStoreError: a secret cannot be read.
        """
        evaluated = self.values.evaluated(node)
        if evaluated.secret_refs:
            evaluated = await self._with_secrets(evaluated)
            self.values.note_secrets(evaluated)
        if evaluated.secrets or evaluated.sensitive:
            self._run_services.learn(evaluated.secret_texts())
        refuse_late_misfits(evaluated)
        driver = self._run_services.driver(node.driver)
        self.learn_of(whole)
        old = self.made(node, whole)
        planned = self._planned_record(node, next_generation(whole) if old is None else old.generation)
        step = ResourceStep(
            evaluated=evaluated,
            driver=driver,
            old=old,
            planned=planned,
            requests=self._run_services.requests,
            services=services,
        )
        if evaluated.foreign and driver.code:
            refuse_foreign_code(step.request, driver.code, may_insert=driver.inserts_as_data)
        return step

    async def mark(self, step: ResourceStep) -> str:
        """Return a keyed fingerprint of all inputs of a resource; empty while some are not known."""
        evaluated = step.evaluated
        if not evaluated.is_known:
            return ""
        fingerprint = await step.driver.fingerprint(step.request) if step.driver.has_fingerprint else ""
        content = inputs_of(evaluated).content(step.driver.name, fingerprint)
        like = "" if step.old is None else step.old.inputs_mark
        return self._run_services.mark(content, mark_context(evaluated.node.guresid), like)

    def is_left(self, step: ResourceStep, mark: str) -> bool:
        """Return whether a resource needs no call: its inputs and its driver are unchanged.

        Args:
            step: the resource.
            mark: what `mark` returned.
        """
        old, driver, requests = step.old, step.driver, self._run_services.requests
        if old is None or not mark or mark != old.inputs_mark:
            return False
        may_change = not driver.is_pure and (requests.may_adopt(old.key) or requests.refreshes)
        return not (old.was_interrupted or driver.always_called or may_change or requests.rotates(old.key))

    def made(self, node: GraphNode, whole: ActiveResource | None) -> ActiveResource | None:
        """Return the record of what the driver of a node has made, and goes on with; None: it makes it anew.

        Args:
            node: the resource.
            whole: its record; None: there is none.
        """
        if node.name in self._replacing.anew:
            return None
        driver = self._run_services.driver
        own = driver(node.driver).name
        return made_by(whole, lambda name: name == node.driver or driver(name).name == own)

    def learn_of(self, old: ActiveResource | None) -> None:
        """Add the secrets of an earlier deployment to the masker; a driver may have them in its cookie."""
        if old is not None:
            if old.secret_paths:
                self._run_services.learn(texts_in(old.outputs, old.secret_paths))
            if old.secret_manifests:
                self._run_services.learn(texts_in(old.manifests, old.secret_manifests))

    async def _with_secrets(self, evaluated: EvaluatedNode) -> EvaluatedNode:
        """Return a node with its secrets from stores, as far as their references are known."""
        references = secret_references(evaluated.secret_refs)
        if not references or not all(reference.is_known for reference in references):
            return evaluated
        return evaluated.with_secrets(await self._run_services.secrets(references))

    def _planned_record(self, node: GraphNode, generation: int) -> ActiveResource:
        """Return the record of a node before anything is made."""
        return ActiveResource(
            key=node.key,
            env_type=self._run_services.requests.context.env_type,
            definition=node.definition,
            definition_digest=self._digests[node.definition],
            driver=node.driver,
            depends_on=node.depends_on,
            phase="creating",
            generation=generation,
            protect=node.protect,
            retain=node.retain,
            awaits_ready=node.ready is not None,
        )
