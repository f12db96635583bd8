"""What deployments use of the project that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ensue.deploy.provisioning.active import ActiveResources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.contracts.vault import KeyedVault
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.deploy.drivers.loading import Drivers
    from ensue.deploy.environments.deployment_reader import DeploymentReader
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.deployment_records import DeploymentHistory
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.secret_refs import SecretReference
    from ensue.deploy.provisioning.wanted_secrets import WantedSecret
    from ensue.language.settings.settings import Settings


class EnvironmentResources(ActiveResources, Protocol):
    """The active resources of all environments of a store; its methods block, unless they are coroutines."""

    def owner(self, *, is_kept: bool) -> str:
        """Return the id of the store, which drivers mark what they make with.

        Args:
            is_kept: whether a new id is stored.
        """
        ...

    def organizations(self, app: str, env: str) -> list[str]:
        """Return the organizations that have an environment of this name."""
        ...

    def all(self) -> Iterable[tuple[Context, ActiveResource]]:
        """Return the active resources of all environments of the store."""
        ...

    def locked(
        self, context: Context, cachedir: Path, action: str, wait_s: float | None
    ) -> AbstractAsyncContextManager[None]:
        """Return what holds the lock of an environment while it is deployed.

        Args:
            context: the environment.
            cachedir: the project's cachedir.
            action: what is done, as others read it (`deploy`).
            wait_s: how long to wait for another deployment of the environment; None: without limit.
        """
        ...

    async def flush_when_full(self) -> None:
        """Make everything durable if much waits for that."""
        ...


class SecretReader(Protocol):
    """Reads secrets from the secret stores of a project."""

    def check(self, secrets: Iterable[WantedSecret]) -> list[Diagnostic]:
        """Return the errors of secrets that can be found without reading any."""
        ...

    async def read_all(
        self, references: Iterable[SecretReference], secrets: Iterable[WantedSecret] = ()
    ) -> Mapping[SecretReference, str]:
        """Return the value of each secret.

        Raises:
            SecretStoreError: some secrets cannot be read.
        """
        ...


class DeployingProject(Protocol):
    """One opened project, as its deployments use it."""

    @property
    def settings(self) -> Settings:
        """Its options."""
        ...

    @property
    def masker(self) -> Masker:
        """Its secrets."""
        ...

    @property
    def registry(self) -> DerivedRegistry:
        """The derived resources of the project."""
        ...

    @property
    def vault(self) -> KeyedVault:
        """The project's keys."""
        ...

    @property
    def drivers(self) -> Drivers:
        """The project's drivers."""
        ...

    @property
    def active(self) -> EnvironmentResources:
        """The active resources of all environments."""
        ...

    @property
    def history(self) -> DeploymentHistory:
        """The deployments of all environments."""
        ...

    @property
    def secret_stores(self) -> SecretReader:
        """Reads the secrets that definitions refer to."""
        ...

    def deployments(self, definitions: Path | None) -> DeploymentReader:
        """Return what reads resource definitions.

        Args:
            definitions: where they are; None: as `ensue.yaml` says.
        """
        ...
