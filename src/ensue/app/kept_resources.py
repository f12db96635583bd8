"""The resources that a project records between runs, with one method per command."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import EnsueError
from ensue.core.model.secret_values import mask_config

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.data import DataMap
    from ensue.core.model.resource import Registration, RegistrationRequest, ResourceRecord
    from ensue.core.model.srn import Srn
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.deployment_records import DeploymentRecord, KeptDeployment
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.impact import SourceChange
    from ensue.language.targets.refresh import Refreshed
    from ensue.store.registry.audit_check import AuditFault
    from ensue.store.registry.enforced_views import ShownState
    from ensue.store.registry.named_states import ForgottenStates

from ensue.app.opened_project import OpenedProject


class KeptResources(OpenedProject):
    """An opened project whose resources can be listed, registered, refreshed and forgotten."""

    async def resources(self) -> list[ResourceRecord]:
        """Return every resource: pillar-declared, discovered, derived; sorted by SRN."""
        directory = (await self._prepared()).directory
        records = await asyncio.to_thread(directory.records)
        refused = directory.refused
        return [
            msgspec.structs.replace(record, fault=self.masker.text(refused[record.srn]))
            if record.srn in refused
            else record
            for record in records
        ]

    async def unassigned_resources(self) -> tuple[Diagnostic, ...]:
        """Return a warning if no machine manages the resources that a pillar file declares."""
        from ensue.language.targets.unassigned_resources import unassigned_resources

        warning = await asyncio.to_thread(unassigned_resources, await self._prepared())
        return () if warning is None else (warning,)

    async def resource_config(self, srn: Srn) -> DataMap | None:
        """Return a resource's configuration, secrets masked; None if there is no such resource."""
        targets = await self._prepared()
        config = await asyncio.to_thread(targets.directory.shown_config, srn)
        return None if config is None else self.masker.data(mask_config(config))

    async def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources of a resource, nearest first."""
        return await asyncio.to_thread(self._stores.registry().provenance, srn)

    async def grains_gathered_at(self, srn: Srn) -> datetime | None:
        """Return when the cached grains of a resource were gathered; None if none are in use.

        Raises:
            StoreError: the cache cannot be read.
        """
        targets = await self._prepared()
        gathered_at_s = await targets.directory.grains_gathered_at_s(srn)
        return None if gathered_at_s is None else datetime.fromtimestamp(gathered_at_s).astimezone()

    async def refresh(
        self,
        target: str | None = None,
        *,
        timeout_s: float | None = None,
        on_answer: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Refreshed:
        """Discover resources, and gather the grains of those that match a target.

        Raises:
            ConfigurationError: the target does not parse.
            CompileError: pillar does not compile, or a type cannot discover.
            StoreError: the result cannot be recorded.
        """
        from ensue.language.targets.refresh import refresh

        return await refresh(self._services().targets, target, timeout_s=timeout_s, on_answer=on_answer)

    async def register(self, request: RegistrationRequest) -> Registration:
        """Register a resource by hand.

        Raises:
            ConfigurationError: its name, type or configuration is not valid, or its id is taken.
            ResourceError: its lifetime or its source is not valid.
            StoreError: the store cannot be written.
        """
        from ensue.store.registry.manual_registration import register

        return await register(await self._prepared(), request)

    async def invalidate(self, source: Srn) -> list[Srn]:
        """Invalidate what was derived from a source."""
        registry = self._stores.registry()
        return await asyncio.to_thread(lambda: registry.invalidate(source, reason="invalidated by hand"))

    async def forget(self, srn: Srn) -> bool:
        """Remove a derived resource's entry and its cached grains."""
        await self._services().targets.directory.grains_changed([srn])
        return await asyncio.to_thread(self._stores.registry().forget, srn)

    async def left_on(self, srn: Srn) -> int:
        """Return how many things states made on a resource and none has made absent since.

        Raises:
            StoreError: the enforced states cannot be read.
        """
        from ensue.store.registry.superseded import things_left

        store = self._stores.enforced()
        return await self._stores.thread.run(lambda: things_left(store.known(), str(srn)))

    async def encrypted(self, plain: str, recipients: Sequence[str] = ()) -> str:
        """Return a text as a PGP message for the renderer `gpg`; see `pgp_messages.encrypted`.

        Raises:
            DecryptionError: there is no such key, or gpg cannot be run.
        """
        from ensue.language.renderers.pgp_messages import encrypted

        return await encrypted(self.settings, plain, recipients)

    async def rotate_keys(self) -> int:
        """Encrypt every stored configuration and enforced state with a new key.

        Returns:
            How many there were.

        Raises:
            StoreError: a configuration cannot be decrypted; nothing was changed.
        """
        count = await asyncio.to_thread(self._stores.registry().rotate)
        # The rest of them is encrypted with the old key.
        await self._services().targets.directory.clear_cached_grains()
        count += await asyncio.to_thread(self._services().stores.active.reseal)
        count += await asyncio.to_thread(self._services().stores.history.reseal)
        return count + await asyncio.to_thread(self._stores.enforced().reseal)

    async def active_resources(
        self, app: str | None = None, env: str | None = None
    ) -> list[tuple[Context, ActiveResource]]:
        """Return what deployments have provisioned, by environment and resource.

        Args:
            app: only those of this application; None: all.
            env: only those of environments with this id; None: all.

        Raises:
            StoreError: the store cannot be read or decrypted.
        """
        active = self._services().stores.active
        known = await asyncio.to_thread(lambda: list(active.all()))
        return [
            (context, record)
            for context, record in known
            if app in {None, context.app} and env in {None, context.env}
        ]

    async def shown_resources(self, app: str | None, env: str | None) -> list[tuple[Context, ActiveResource]]:
        """Return what deployments have provisioned in environments that somebody names.

        Args:
            app: only those of this application; None: all.
            env: only those of environments with this id; None: all.

        Raises:
            ConfigurationError: the store has others, and none of these.
            StoreError: the store cannot be read or decrypted.
        """
        from ensue.deploy.environments.known_environments import require_shown

        resources = await self.active_resources(app, env)
        if not resources and (app or env):
            active = {context for context, _ in await self.active_resources()}
            require_shown(active, await self.deployment_records(), app, env)
        return resources

    async def changed_sources(
        self, active: Sequence[tuple[Context, ActiveResource]]
    ) -> dict[tuple[Context, ResourceKey], SourceChange]:
        """Return which resources are made from files that have changed since, such as those of a module.

        Args:
            active: the resources to check.
        """
        from ensue.deploy.environments.changed_sources import changed_sources

        return await changed_sources(self._services().stores, active)

    async def deployment_records(
        self, app: str | None = None, env: str | None = None, org: str | None = None
    ) -> list[tuple[Context, DeploymentRecord]]:
        """Return deployments with their environments, by environment, the newest of each first.

        Args:
            app: only those of this application; None: all.
            env: only those of environments with this id; None: all.
            org: only those of this organization; None: all.

        Raises:
            StoreError: the store cannot be read or decrypted.
        """
        return await asyncio.to_thread(self._services().stores.history.records, app, env, org)

    async def kept_deployment(self, context: Context, number: int) -> KeptDeployment:
        """Return a deployment of an environment.

        Args:
            context: the environment.
            number: the deployment; 0: the last one.

        Raises:
            ConfigurationError: it is not kept.
            StoreError: the store cannot be read or decrypted.
        """
        from ensue.deploy.environments.known_environments import kept_deployment

        return await asyncio.to_thread(kept_deployment, self._services().stores.history, context, number)

    async def kept_env_type(self, context: Context) -> str:
        """Return the type of an environment that has been deployed.

        Args:
            context: the environment.

        Raises:
            ConfigurationError: it has never been deployed.
            StoreError: the store cannot be read or decrypted.
        """
        from ensue.deploy.environments.known_environments import kept_env_type

        return await asyncio.to_thread(kept_env_type, self._services().stores.history, context)

    async def enforced(self, tgt: str | None = None) -> list[ShownState]:
        """Return what every state last enforced, secrets masked.

        Args:
            tgt: only on the targets that this matches, resources that were forgotten by their names; None: on
                all targets.

        Raises:
            ConfigurationError: the target does not parse, or names what does not exist.
            StoreError: it cannot be read.
        """
        from ensue.language.targets.recorded_targets import missing_targets, targets_matching

        store = self._stores.enforced()
        shown = await self._stores.thread.run(lambda: list(store.shown()))
        recorded = {entry.target for entry in shown}
        if tgt is not None:
            chosen = await targets_matching(await self._prepared(), recorded, tgt)
            shown = [entry for entry in shown if entry.target in chosen]
        if not recorded - {str(self._services().stores.minion)}:
            return shown
        gone: set[str] = set()
        with suppress(EnsueError):  # The enforced states can be shown, whatever the resources are like.
            gone = await missing_targets(await self._prepared(), recorded)
        return [msgspec.structs.replace(entry, target_exists=entry.target not in gone) for entry in shown]

    async def forget_enforced(self, words: Sequence[str], tgt: str | None = None) -> ForgottenStates:
        """Remove what states enforced from the store; nothing unless each of the words names one state.

        Args:
            words: IDs, names or tags of states; none: all states of the targets.
            tgt: only on the targets that this matches, resources that were forgotten by their names; None: on
                all targets.

        Raises:
            ConfigurationError: the target does not parse, or names what does not exist.
            StoreError: the store cannot be read or written.
        """
        from ensue.language.targets.recorded_targets import targets_matching
        from ensue.store.registry.enforced_views import shown_state
        from ensue.store.registry.named_states import ForgottenStates, NamedStates
        from ensue.store.runs.run_chain import settle_killed

        store = self._stores.enforced()
        await self._stores.thread.run(lambda: settle_killed(self.settings.cachedir, store))
        rows = await self._stores.thread.run(store.known)
        if tgt is not None:
            recorded = {row.target for row in rows}
            chosen = await targets_matching(await self._prepared(), recorded, tgt)
            rows = [row for row in rows if row.target in chosen]
        named = NamedStates(rows)
        unknown = {word: named.hint(word) for word in words if not named.of(word)}
        several = {word: states for word in words if (states := named.several(word))}
        if unknown or several:
            return ForgottenStates(unknown=unknown, several=several)
        if words or tgt is None:
            rows = list(dict.fromkeys(row for word in words for row in named.of(word)))
        await self._stores.thread.run(lambda: store.forget(rows))
        return ForgottenStates(entries=[shown_state(row) for row in rows])

    def audit_entries(self) -> list[DataMap]:
        """Return the audit log, oldest first."""
        return self._stores.registry().audit_entries()

    def audit_fault(self) -> AuditFault | None:
        """Check the audit log's chain, and return the first fault; None if it is whole."""
        return self._stores.registry().audit_fault()
