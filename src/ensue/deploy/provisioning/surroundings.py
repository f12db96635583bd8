"""What provisioning uses of the run around it, and what it reports for each resource."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from ensue.core.contracts.clock import Clock
    from ensue.core.contracts.driver import CodeKind, DriverRequest, DriverServices, Planned, Provisioned
    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.model.data import Data, DataMap
    from ensue.deploy.provisioning.active import ActiveResource, ActiveResources
    from ensue.deploy.provisioning.evaluated_node import Outputs
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.readiness import Check
    from ensue.deploy.provisioning.requests import Requests
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.sensitive import Path

Status: TypeAlias = Literal[
    "created",
    "updated",
    "replaced",
    "unchanged",
    "failed",
    "skipped",
    "excluded",
    "orphaned",
    "destroyed",
    "retained",
    "forgotten",
    "planned",
]
"""The result of a resource in one deployment."""

Action: TypeAlias = Literal["", "create", "update", "replace", "destroy", "forget", "read", "wait"]
"""What a deployment would do with a resource: `read` has a driver look at what it has made, and `wait` waits
until it is ready; empty if it would do nothing, or that is not known."""


_STATUSES: Final[Mapping[Action, Status]] = MappingProxyType(
    {"create": "created", "update": "updated", "replace": "replaced", "destroy": "destroyed"}
)

Probe: TypeAlias = "Callable[[Check, float], Awaitable[str]]"
"""Tries a condition once, for so many seconds at most; returns why it does not hold as the end of a sentence
that begins with what was tried, or an empty text."""


class ProvisioningDriver(Protocol):
    """A driver with the optional parts of its contract filled in; see `ensue.core.contracts.driver`.

    `name` is the same for all names that definitions may use for it (`postgres`, `humanitec/postgres`).
    """

    name: str
    is_pure: bool
    plan_is_pure: bool
    always_called: bool
    keeps_first: bool
    code: Mapping[str, CodeKind]
    inserts_as_data: bool

    @property
    def outputs(self) -> Collection[str]:
        """The names of the outputs, if they are always the same."""
        ...

    @property
    def has_fingerprint(self) -> bool:
        """Whether the result depends on more than the inputs."""
        ...

    def leaves(self, cookie: DataMap | None, /) -> bool:
        """Return whether `delete` does nothing, so that what was made stays."""
        ...

    @property
    def names_objects(self) -> bool:
        """Whether it tells what is made for a resource."""
        ...

    def manages(self, request: DriverRequest, /) -> Sequence[ManagedObject]:
        """Return what the inputs of a resource make, as far as they are known."""
        ...

    def managed(self, cookie: DataMap | None, /) -> Sequence[ManagedObject]:
        """Return what was made."""
        ...

    def destroys(self, cookie: DataMap | None, /) -> Sequence[ManagedObject]:
        """Return what `delete` destroys."""
        ...

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


class ProvisioningServices(NamedTuple):
    """The services of the run that provisioning uses.

    Args:
        driver: returns a driver by the name that a definition has for it.
        active: keeps active resources.
        mark: returns a keyed fingerprint of bytes; like another one where the key may have changed.
        requests: makes the requests for drivers.
        idle: the services of a driver while nothing runs yet.
        secrets: reads secrets from stores.
        learn: tells the masker of secrets.
        masked: returns data with all known secrets masked.
        probe: tries a condition of `ready` once.
    """

    driver: Callable[[str], ProvisioningDriver]
    active: ActiveResources
    mark: Callable[[bytes, str, str], str]
    requests: Requests
    idle: DriverServices
    secrets: Callable[[Sequence[SecretReference]], Awaitable[Mapping[SecretReference, str]]]
    learn: Callable[[Iterable[str]], None]
    masked: Callable[[Any], Any]
    probe: Probe


class ProvisioningOutcome(NamedTuple):
    """The outcome of one resource.

    Args:
        status: its status.
        comment: one sentence; may be empty.
        outputs: its outputs; None if they are not known.
        old: its earlier record; None: there was none.
        registers: resources that become targetable: SRN to configuration.
        manifests: its Kubernetes manifests.
        secret_manifests: the paths of the secrets in them.
        replaces: the record of what it replaces, which is destroyed; None: nothing.
        waits: what a deployment would wait for until it is ready; empty: nothing.
        action: what a plan says would be done.
        is_compared: whether it is left because its inputs are the same, and its driver could be asked.
        changes: what a plan would change in what is there, as states report changes; secrets are hidden.
        destroys: what the update of a plan would destroy, as messages name it.
        warnings: remarks of the driver.
    """

    status: Status
    comment: str = ""
    outputs: Outputs | None = None
    old: ActiveResource | None = None
    registers: Mapping[str, DataMap] = MappingProxyType({})
    manifests: Mapping[str, Data] = MappingProxyType({})
    secret_manifests: tuple[Path, ...] = ()
    replaces: ActiveResource | None = None
    waits: str = ""
    action: Action = ""
    is_compared: bool = False
    changes: Mapping[str, Data] = MappingProxyType({})
    destroys: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def change(self) -> str:
        """What states report as the change: its status, and in a plan the one that it would have."""
        return self.status if self.status != "planned" else _STATUSES.get(self.action, self.status)


class Replacing(NamedTuple):
    """What a deployment may destroy in order to replace it.

    Args:
        is_allowed: whether a resource may be replaced.
        destroy_first: the ids of the definitions whose resources are made only when what they replace is
            destroyed.
        anew: the resources, `TYPE.CLASS#ID` each, that are destroyed and made anew by any driver.
    """

    is_allowed: Callable[[ResourceKey], bool] = lambda _: False
    destroy_first: Collection[str] = frozenset()
    anew: Collection[str] = frozenset()


MakeServices: TypeAlias = "Callable[[Callable[[DataMap], Awaitable[None]]], DriverServices]"
"""Makes the services of a driver for one resource, from the function that keeps a cookie."""


class DriverCall(NamedTuple):
    """The call of a driver by a state function.

    Args:
        services: the services for the driver, made for this resource.
        test: whether it is a plan.
        clock: time.
    """

    services: MakeServices
    test: bool
    clock: Clock
