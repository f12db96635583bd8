"""Make the request that a driver receives for a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ensue.core.contracts.deployment import ANY_RESOURCE
from ensue.core.contracts.driver import DriverRequest
from ensue.deploy.provisioning.identity import context_of, guresid

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.contracts.driver import DriverServices
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.recorded_inputs import RecordedInputs


class Requests(NamedTuple):
    """Makes the requests of one environment.

    Args:
        context: the environment.
        root: the project's folder.
        directory: the parent of the resources' folders.
        owner: the id of the store.
        order: the deployment, which says what may be taken over, replaced and destroyed; None: nothing may.
    """

    context: Context
    root: Path
    directory: Path
    owner: str
    order: DeploymentOrder | None = None

    def may_adopt(self, key: ResourceKey) -> bool:
        """Return whether a resource may be taken over from another store."""
        return self.order is not None and _has(self.order.adopt, key)

    def may_replace(self, key: ResourceKey) -> bool:
        """Return whether a resource may be destroyed in order to be replaced."""
        return self.order is not None and _has((*self.order.allow_replace, *self.order.replace), key)

    def rotates(self, key: ResourceKey) -> bool:
        """Return whether a resource gets a new secret."""
        return self.order is not None and bool(self.order.rotate) and str(key) in self.order.rotate

    @property
    def refreshes(self) -> bool:
        """Whether drivers look at what they have made although the inputs are the same."""
        return self.order is not None and self.order.refresh

    def is_protected(self, kept: ActiveResource) -> bool:
        """Return whether a resource that is there may not be destroyed."""
        return kept.protect and not (self.order is not None and _has(self.order.unprotect, kept.key))

    def of(
        self,
        evaluated: EvaluatedNode,
        kept: ActiveResource | None,
        services: DriverServices,
        generation: int = 0,
    ) -> DriverRequest:
        """Return the request for a resource of the graph.

        Args:
            evaluated: the resource with its inputs.
            kept: its record; None: there is none.
            services: the services for the driver.
            generation: see `ActiveResource`; each has a folder.
        """
        node = evaluated.node
        return DriverRequest(
            type=node.key.type,
            class_=node.key.class_,
            id=node.key.id,
            guresid=node.guresid,
            context=context_of(self.context),
            params={} if evaluated.params is None else evaluated.params,
            values=evaluated.values,
            secrets=evaluated.secrets,
            account=evaluated.account,
            directory=self._folder(node.guresid, generation),
            root=self.root,
            services=services,
            owner=self.owner,
            may_adopt=self.may_adopt(node.key),
            may_replace=self.may_replace(node.key),
            is_protected=kept is not None and self.is_protected(kept),
            has_dependencies=bool(node.depends_on),
            rotates=self.rotates(node.key),
            cookie=None if kept is None else kept.cookie,
            was_interrupted=kept is not None and kept.was_interrupted,
            foreign=evaluated.foreign,
            sensitive=evaluated.sensitive,
        )

    def of_removal(self, kept: ActiveResource, services: DriverServices) -> DriverRequest:
        """Return the request to delete a resource.

        Args:
            kept: its record.
            services: the services for the driver.
        """
        id_ = guresid(self.context, kept.key)
        return DriverRequest(
            type=kept.key.type,
            class_=kept.key.class_,
            id=kept.key.id,
            guresid=id_,
            context=context_of(self.context),
            params={},
            values={},
            secrets={},
            account=None,
            directory=self._folder(id_, kept.generation),
            root=self.root,
            services=services,
            owner=self.owner,
            cookie=kept.cookie,
            was_interrupted=kept.was_interrupted,
        )

    def of_record(
        self, kept: ActiveResource, inputs: RecordedInputs, services: DriverServices
    ) -> DriverRequest:
        """Return the request of a resource with the inputs of its last successful call.

        Args:
            kept: its record.
            inputs: its recorded inputs.
            services: the services for the driver.
        """
        return msgspec.structs.replace(
            self.of_removal(kept, services),
            params={} if inputs.params is None else inputs.params,
            values=inputs.values,
            secrets=inputs.secrets,
            account=inputs.account,
            sensitive=inputs.secret,
        )

    def _folder(self, guresid_: str, generation: int) -> Path:
        return self.directory / (f"{guresid_}-{generation}" if generation else guresid_)


def _has(resources: Collection[str], key: ResourceKey) -> bool:
    return bool(resources) and (ANY_RESOURCE in resources or str(key) in resources)
