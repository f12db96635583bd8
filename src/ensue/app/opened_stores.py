"""The stores of an opened project, with what only its deployments and its runs use."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.deadlines import HTTP_TOTAL_S
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.engine.binding.insertions import Insertions
from ensue.language.pillars import Pillars
from ensue.language.settings.file_sources import FilesByEnvironment
from ensue.language.settings.roots import Roots
from ensue.language.targets.project_stores import ProjectStores
from ensue.reach.connections.exposed_secrets import ExposedSecrets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.deploy.drivers.loading import Drivers
    from ensue.deploy.environments.deployment_reader import DeploymentReader
    from ensue.reach.resources.plugins import Plugins
    from ensue.store.registry.active_store import ActiveResourceStore
    from ensue.store.registry.deployment_store import DeploymentStore
    from ensue.store.registry.enforced import EnforcedStore
    from ensue.store.registry.lazy_registry import LazyRegistry, LazyVault
    from ensue.store.secret_stores.secret_stores import SecretStores
    from ensue.store.stores import Stores


class OpenedStores(ProjectStores, frozen=True, kw_only=True, dict=True, eq=False):
    """A `DeployingProject`: the stores of one opened project.

    Args:
        registry: its derived resources.
        vault: its keys.
        enforced: what earlier applies enforced.
        opened: opens its stores.
        make_drivers: makes its drivers, when one is requested.
    """

    registry: LazyRegistry
    vault: LazyVault
    enforced: EnforcedStore
    opened: Stores
    make_drivers: Callable[[], Drivers]

    @property
    def drivers(self) -> Drivers:
        """The project's drivers, each loaded when it is first used."""
        return self.make_drivers()

    @property
    def active(self) -> ActiveResourceStore:
        """The active resources of all deployments."""
        return self.opened.active()

    @property
    def history(self) -> DeploymentStore:
        """The deployments of all environments."""
        return self.opened.history()

    @property
    def secret_stores(self) -> SecretStores:
        """Reads the secrets that definitions refer to."""
        return self._secret_stores

    @cached_property
    def _secret_stores(self) -> SecretStores:
        from ensue.store.secret_stores.secret_stores import SecretStores

        return SecretStores(self.settings, self.masker)

    def deployments(self, definitions: Path | None) -> DeploymentReader:
        """Return what reads resource definitions.

        Args:
            definitions: where they are; None: as `ensue.yaml` says.
        """
        from ensue.deploy.environments.deployment_reader import DeploymentReader

        return DeploymentReader(self.settings, self.masker, self.drivers, definitions)


def opened_stores(
    stores: Stores,
    plugins: Plugins,
    drivers: Callable[[], Drivers],
    *,
    pillar_override: Mapping[str, Any],
    other_minions: OtherMinions | None,
) -> OpenedStores:
    """Return the first value of an opened project; called on the event loop that runs everything.

    Args:
        stores: its stores: derived resources, enforced states, keys.
        plugins: its resource types and providers.
        drivers: makes its drivers.
        pillar_override: `--pillar`.
        other_minions: the other minions of a run over minions; None in other runs.
    """
    settings, masker = stores.settings, stores.masker
    minion = Srn(MINION_TYPE, settings.minion_id)
    roots = Roots(settings.file_roots, settings.root)
    return OpenedStores(
        settings=settings,
        masker=masker,
        exposed=ExposedSecrets(masker),
        plugins=plugins,
        registry=stores.lazy_registry,
        vault=stores.lazy_vault,
        enforced=stores.enforced(),
        minion=minion,
        pillars=Pillars(minion, str(settings.option("resource_pillar_key")), pillar_override),
        roots=roots,
        pillar_roots=Roots(settings.pillar_roots, settings.root),
        files=FilesByEnvironment(
            roots,
            downloads=settings.cachedir,
            http_total_s=settings.option("http_request_timeout", default=HTTP_TOTAL_S),
        ),
        insertions=Insertions(),
        loop=asyncio.get_running_loop(),
        other_minions=other_minions,
        opened=stores,
        make_drivers=drivers,
    )
