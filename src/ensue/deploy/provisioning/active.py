"""Active resources: the resources that earlier deployments of an environment have provisioned.

Source: Humanitec, "Active Resources"; resource graph document, "Building and executing".
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- msgspec reads the types of fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from ensue.deploy.provisioning.identity import ResourceKey  # noqa: TC001 -- msgspec reads the types of fields
from ensue.deploy.provisioning.sensitive import Path  # noqa: TC001 -- the same

if TYPE_CHECKING:
    from ensue.deploy.provisioning.identity import Context

Phase: TypeAlias = Literal["creating", "updating", "active", "deleting"]
"""The driver's last call, or `active` once it has succeeded. A resource with the phase `creating` may or
may not exist: the call failed, or the process was killed during it."""


NO_DATA: Final[Mapping[str, Any]] = MappingProxyType({})
"""An empty mapping that all records share: most resources have no manifests and register nothing."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a resource's driver that has not succeeded, so that the record describes an earlier one.

    Args:
        definition: the id of the definition that was used.
        depends_on: the resources that it depended on, in this attempt and in those before it.
    """

    definition: str
    depends_on: tuple[ResourceKey, ...] = ()


class ActiveResource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A resource that a deployment has provisioned, as its last successful deployment left it.

    A failed call changes only `phase`, `inputs_mark`, `cookie` (what the driver stored meanwhile) and
    `attempted`. What another driver made for the resource, or has begun to make, is `beside` it.

    Args:
        key: the resource.
        env_type: the type of its environment, for criteria.
        definition: the id of the definition that was used.
        definition_digest: the hash of that definition.
        driver: the driver, as the definition names it.
        phase: see `Phase`.
        inputs_mark: a keyed fingerprint of all inputs of the driver; empty if the last call
            failed.
        inputs: the inputs of the last successful call, packed (see `field_changes`); empty in records of
            earlier versions.
        outputs: all outputs by name, of the last successful call.
        secret_paths: the paths of the secret ones.
        manifests: its Kubernetes manifests.
        secret_manifests: the paths of the secrets in them.
        cookie: data that is passed to the driver in its next call.
        registers: resources that it made targetable: SRN to configuration.
        depends_on: the resources it depends on.
        generation: counts what has been made for the resource: 0, and one more with each replacement.
        attempted: the last call, if it has not succeeded; None: it has.
        awaits_ready: whether it is made, and has not been ready yet.
        protect: whether nothing may destroy it; as its definition had it when it was provisioned last, so
            that it outlives the definition.
        retain: whether it is left as it is when it is removed; the same.
        beside: what else was made for the resource and has not been destroyed yet: replacements that did not
            succeed, and what was replaced.
    """

    key: ResourceKey
    env_type: str
    definition: str
    definition_digest: str
    driver: str
    phase: Phase
    inputs_mark: str = ""
    inputs: bytes = b""
    outputs: Any = msgspec.field(default_factory=dict[str, Any])
    secret_paths: tuple[Path, ...] = ()
    manifests: Mapping[str, Any] = NO_DATA
    secret_manifests: tuple[Path, ...] = ()
    cookie: dict[str, Any] | None = None
    registers: Mapping[str, dict[str, Any]] = NO_DATA
    depends_on: tuple[ResourceKey, ...] = ()
    generation: int = 0
    attempted: Attempt | None = None
    awaits_ready: bool = False
    protect: bool = False
    retain: bool = False
    beside: tuple[ActiveResource, ...] = ()

    @property
    def was_interrupted(self) -> bool:
        """Whether a call of its driver has begun and its outcome is unknown."""
        return self.phase != "active"

    @property
    def is_retained(self) -> bool:
        """Whether a removal leaves what was made; what was only begun is destroyed all the same."""
        return self.retain and self.phase != "creating"

    @property
    def uses(self) -> tuple[ResourceKey, ...]:
        """The resources that it, its last attempt, or anything beside it depends on."""
        attempted = () if self.attempted is None else self.attempted.depends_on
        if not attempted and not self.beside:
            return self.depends_on
        others = (key for record in self.beside for key in record.uses)
        return tuple(dict.fromkeys([*self.depends_on, *attempted, *others]))


class ActiveResources(Protocol):
    """The store of active resources, by environment."""

    def load(self, context: Context) -> Mapping[ResourceKey, ActiveResource]:
        """Return the active resources of one environment; this blocks.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        ...

    def put(self, context: Context, resource: ActiveResource) -> None:
        """Store a resource; it is durable after the next `flush`."""
        ...

    def remove(self, context: Context, key: ResourceKey) -> None:
        """Remove a resource; durable after the next `flush`."""
        ...

    async def flush(self) -> None:
        """Wait until everything that was put or removed before is durable.

        Raises:
            StoreError: it cannot be written.
        """
        ...


def users_of(kept: Mapping[ResourceKey, ActiveResource]) -> dict[ResourceKey, list[ResourceKey]]:
    """Return the resources that use each resource, by their records."""
    users: dict[ResourceKey, list[ResourceKey]] = {}
    for record in kept.values():
        for key in record.uses:
            users.setdefault(key, []).append(record.key)
    return users
