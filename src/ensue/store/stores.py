"""The stores of a project between runs: keys, derived resources, enforced states, deployments.

Each is opened when it is first used, from any thread. The package `registry` defines what is in them.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ensue.store.registry.lazy_registry import LazyRegistry, LazyVault
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.store_thread import StoreThread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn
    from ensue.language.settings.settings import Settings
    from ensue.reach.resources.plugins import Plugins
    from ensue.store.registry.active_store import ActiveResourceStore
    from ensue.store.registry.deployment_store import DeploymentStore
    from ensue.store.registry.enforced import EnforcedStore
    from ensue.store.registry.grains_cache import GrainsCache
    from ensue.store.registry.registry import ResourceRegistry
    from ensue.store.registry.store import CrossRunStore
    from ensue.store.registry.vault import ProjectVault


class Stores:
    """The stores of one project.

    Args:
        settings: the project's options.
        masker: receives the secrets that are read.
        plugins: checks the configurations of resources.
        claimed_elsewhere: returns the owner of an id that is not a derived resource; None if there is none.
    """

    def __init__(
        self,
        settings: Settings,
        masker: Masker,
        plugins: Plugins,
        claimed_elsewhere: Callable[[str], Srn | None],
    ) -> None:
        self.lazy_registry = LazyRegistry(self.registry, self.has_registry)
        self.lazy_vault = LazyVault(self.vault)
        self.waits = LockWaits()
        self.thread = StoreThread()
        self.settings = settings
        self.masker = masker
        self._plugins = plugins
        self._claimed_elsewhere = claimed_elsewhere
        self._opening = threading.RLock()
        self._registry: ResourceRegistry | None = None
        self._vault: ProjectVault | None = None
        self._enforced: EnforcedStore | None = None
        self._cross_run: CrossRunStore | None = None
        self._active: ActiveResourceStore | None = None
        self._history: DeploymentStore | None = None
        self._run_id = ""

    def registry(self) -> ResourceRegistry:
        """Return the derived resources.

        Raises:
            StoreError: they cannot be read.
        """
        with self._opening:
            if self._registry is None:
                self._registry = self._make_registry()
            return self._registry

    def vault(self) -> ProjectVault:
        """Return the keys.

        Raises:
            StoreError: they cannot be read.
        """
        with self._opening:
            if self._vault is None:
                from ensue.store.registry.vault import ProjectVault

                kind = str(self.settings.option("key_source", "file"))
                self._vault = ProjectVault.of_project(self.settings.cachedir, kind=kind)
            return self._vault

    def enforced(self) -> EnforcedStore:
        """Return the enforced states; the file itself is opened on first use."""
        if self._enforced is None:
            from ensue.language.settings.environments import selected_environments
            from ensue.store.registry.enforced import EnforcedStore

            self._enforced = EnforcedStore(
                self.settings.cachedir,
                vault=self.lazy_vault,
                masker=self.masker,
                keep_output_bytes=self.settings.keep_output_bytes,
                waits=self.waits,
                environment=selected_environments(self.settings, highstate=False),
            )
        return self._enforced

    def active(self) -> ActiveResourceStore:
        """Return the active resources of all environments; the store itself is opened on first use."""
        with self._opening:
            if self._active is None:
                from ensue.store.registry.active_store import ActiveResourceStore

                self._active = ActiveResourceStore(self._cross_run_store(), vault=self.lazy_vault)
            return self._active

    def history(self) -> DeploymentStore:
        """Return the deployments of all environments; the store itself is opened on first use."""
        with self._opening:
            if self._history is None:
                from ensue.store.registry.deployment_store import DeploymentStore

                self._history = DeploymentStore(self._cross_run_store(), vault=self.lazy_vault)
            return self._history

    def grains_cache(self) -> GrainsCache:
        """Return a cache of the grains of resources."""
        from ensue.store.registry.grains_cache import DEFAULT_EXPIRATION_S, GrainsCache

        return GrainsCache(
            self.settings.cachedir,
            vault=self.lazy_vault,
            masker=self.masker,
            expiration_s=self.settings.option("grains_cache_expiration", DEFAULT_EXPIRATION_S),
            waits=self.waits,
        )

    def _cross_run_store(self) -> CrossRunStore:
        if self._cross_run is None:
            from ensue.store.registry.store import CrossRunStore

            url = self.settings.option("store_url")
            self._cross_run = CrossRunStore(self.settings.cachedir, url=url, waits=self.waits)
        return self._cross_run

    def has_registry(self) -> bool:
        """Return whether there is a store of derived resources, without opening it."""
        cachedir = self.settings.cachedir
        return self.settings.option("store_url") is not None or (cachedir / "store.db").exists()

    def refuse_damaged(self) -> None:
        """Refuse a run at its start, instead of in the first state that needs derived resources.

        Raises:
            StoreError: their store is damaged.
        """
        if not self.has_registry():
            return
        from ensue.store.registry.store import CrossRunStore

        CrossRunStore(self.settings.cachedir, url=self.settings.option("store_url")).refuse_damaged()

    def begin_run(self, run_id: str) -> None:
        """Set the run that the audit log names from now on."""
        with self._opening:
            self._run_id = run_id
            if self._registry is not None:
                self._registry.begin_run(run_id)

    def close(self) -> None:
        """Close the stores that were opened, and end what waits for them; a later use opens them again."""
        self.waits.end()
        self.thread.close()
        if self._enforced is not None:
            self._enforced.close()
            self._enforced = None
        if self._registry is not None:
            self._registry.close()
            self._registry = None
        if self._cross_run is not None:
            self._cross_run.close()
            self._cross_run = self._active = self._history = None
        self.waits = LockWaits()

    def _make_registry(self) -> ResourceRegistry:
        from ensue.store.registry.audit_files import limits_of
        from ensue.store.registry.registry import ResourceRegistry

        registry = ResourceRegistry(
            self.settings.cachedir,
            minion_id=self.settings.minion_id,
            store_url=self.settings.option("store_url"),
            vault=self.vault(),
            masker=self.masker,
            claimed_elsewhere=self._claimed_elsewhere,
            configuration_faults=self._configuration_faults,
            audit_limits=limits_of(self.settings.values),
            waits=self.waits,
        )
        if self._run_id:
            registry.begin_run(self._run_id)
        return registry

    def _configuration_faults(self, srn: Srn, config: Mapping[str, Data], /) -> list[str]:
        from ensue.core.errors import NotAvailableError

        try:
            return self._plugins.configuration_faults(srn, dict(config))
        except NotAvailableError as error:
            return [str(error)]
