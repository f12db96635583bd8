"""Every resource that can be targeted now: this machine, what pillar declares, what was derived.

Looks resources up by SRN or bare id, opens their connections (one each, shared), and gathers their
grains once. A derived resource is visible from the moment it is registered.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from ensue.core.contracts.deadlines import GRAINS_S
from ensue.core.contracts.reach import Reach
from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import RemoteTimeoutError, ResourceError, UnknownResourceError
from ensue.language.targets.configuration_defaults import ConfigurationDefaults
from ensue.reach.resources.leftovers import FOLDER, Leftovers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.kept_grains import KeptGrains
    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.masking import Masker
    from ensue.core.model.resource import ResourceRecord
    from ensue.core.model.srn import Srn
    from ensue.language.settings.settings import Settings
    from ensue.language.targets.resource_index import ResourceIndex
    from ensue.reach.resources.plugins import Plugins

_logger = logging.getLogger(__name__)
_T = TypeVar("_T")

_so_far: ContextVar[dict[str, Any]] = ContextVar("grains_so_far")
"""This machine's grains so far, in the context of its custom grain functions."""

_FEW: Final = 20
"""Up to this number, registrations are looked up one by one; above it, all are read."""


class Directory:
    """The resources of one project.

    Args:
        index: the names of its resources.
        settings: the project's options.
        plugins: resource types.
        registry: derived resources.
        masker: receives the secrets in configurations.
        cached_grains: opens the cache of grains; called when grains of a resource are first needed.
        custom_grains: adds the project's own grains to this machine's, in a thread; None if it has none.

    Attributes:
        defaults: what pillar declares for all resources of a type.
        refused: what is wrong with the configurations of resources that cannot be used.
    """

    def __init__(
        self,
        *,
        index: ResourceIndex,
        settings: Settings,
        plugins: Plugins,
        registry: DerivedRegistry,
        masker: Masker,
        cached_grains: Callable[[], KeptGrains],
        custom_grains: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._custom_grains = custom_grains
        self.minion = index.minion
        self._minion_config = settings.minion_config
        self._opts = settings.values
        self._cache_dir = settings.cachedir
        self._plugins = plugins
        self._registry = registry
        self._masker = masker
        self.leftovers = Leftovers(settings.cachedir / FOLDER)
        self.reach = Reach()
        self.index = index
        self._connections: dict[Srn, Connection] = {}
        self._contexts: dict[Srn, ResourceContext] = {}
        self._open_cached_grains = cached_grains
        self._opened_cached_grains: KeptGrains | None = None
        self._grains: dict[Srn, asyncio.Future[dict[str, Any]]] = {}
        self._recalled: set[Srn] = set()
        self.defaults = ConfigurationDefaults(plugins, masker)
        self.refused: Mapping[Srn, str] = {}

    def set_static(
        self, resources: Mapping[Srn, dict[str, Any]], discovered: Iterable[Srn], refused: Mapping[Srn, str]
    ) -> None:
        """Set the resources that need no registration; their secrets are masked from now on.

        Args:
            resources: those that pillar declares and those that types discovered.
            discovered: which of them were discovered.
            refused: what is wrong with the configurations of those that cannot be used.
        """
        self.refused = refused
        self.index.set_static(resources, discovered)
        for srn, config in resources.items():
            self.defaults.mask(srn.type, config)

    def resolve(self, target: Srn | str) -> Srn:
        """Return the SRN of a resource that can be targeted.

        Raises:
            UnknownResourceError: there is no such resource, or it was invalidated or orphaned.
        """
        record = self.index.resolve(target)
        if record.status != "active":
            raise UnknownResourceError(self.why_gone(record), target=str(record.srn))
        return record.srn

    def why_gone(self, record: ResourceRecord) -> str:
        """Return why a known resource cannot be targeted, and how to make it a target again."""
        chain = " <- ".join(map(str, (record.srn, *self._registry.provenance(record.srn))))
        because = f": {record.invalidated_because}" if record.invalidated_because else ""
        gone = "is orphaned" if record.status == "orphaned" else "was invalidated"
        return (
            f"{record.srn} {gone}{because} ({chain}); apply the state that provides "
            f"{record.source or 'it'} to bring it back"
        )

    def records(self) -> list[ResourceRecord]:
        """Return every resource: this machine, pillar-declared, discovered, derived; sorted by SRN."""
        return self.index.records()

    def config(self, srn: Srn) -> dict[str, Any] | None:
        """Return a resource's configuration in the clear; None if there is no such active resource."""
        if srn == self.minion:
            return self._minion_config
        static = self.index.static.get(srn)
        return static if static is not None else self.defaults.added_to(srn, self._registry.get(srn))

    def shown_config(self, srn: Srn) -> dict[str, Any] | None:
        """Return the configuration of an active or orphaned resource, which may have to be removed."""
        config = self.config(srn)
        registered = self._registry.get(srn, even_orphaned=True) if config is None else None
        return self.defaults.added_to(srn, registered) if config is None else config

    def connection(self, srn: Srn) -> Connection:
        """Return the shared connection of a resource, which connects when first used.

        Raises:
            UnknownResourceError: it has no configuration.
            PluginError: its type has to be opened first, and was not.
        """
        connection = self._connections.get(srn)
        if connection is None:
            type_ = self._plugins.resource_type(srn.type)
            type_.must_be_ready()
            connection = self._connections[srn] = type_.connect(self._context(srn))
        return connection

    async def open(self, srn: Srn) -> None:
        """Open a connection in advance, for types whose connection may take time.

        Raises:
            UnknownResourceError: there is no such resource.
            EnsueError: the type's `init` or `connect` raised, or did not return.
        """
        if srn in self._connections:
            return
        type_ = self._plugins.resource_type(srn.type)
        if type_.needs_opening:
            connection = await type_.opened(self._context(srn))
            # Another task may have opened it meanwhile.
            self._connections.setdefault(srn, connection)

    def _context(self, srn: Srn) -> ResourceContext:
        if srn not in self._contexts:
            config = self.config(srn)
            if config is None:
                raise UnknownResourceError(self.index.unknown(str(srn)), target=str(srn))
            if fault := self.refused.get(srn):
                raise ResourceError(fault)
            self._contexts[srn] = ResourceContext(
                srn=srn,
                config=config,
                opts=self._opts,
                cache_dir=self._cache_dir,
                masker=self._masker,
                connect_to=self._connect_to,
                leftovers=self.leftovers,
                reach=self.reach,
            )
        return self._contexts[srn]

    def _connect_to(self, other: Srn) -> Connection:
        return self.connection(self.resolve(other))

    async def grains(self, srn: Srn) -> dict[str, Any]:
        """Return a resource's grains, gathered once and shared by concurrent callers.

        A custom grain function of this machine's sees what was gathered before it.
        """
        if srn == self.minion and (so_far := _so_far.get(None)) is not None:
            return so_far
        task = self._grains.get(srn)
        if task is None:
            task = self._grains[srn] = asyncio.create_task(self._gather(srn))
            # All callers may have given up by the time it fails.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        if task.done():
            return task.result()
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                self.reach.gave_up(str(srn))
            raise

    def gathered_grains(self, srn: Srn) -> dict[str, Any] | None:
        """Return a resource's grains if they have been gathered, from any thread."""
        if srn == self.minion and (so_far := _so_far.get(None)) is not None:
            return so_far
        task = self._grains.get(srn)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    async def _gather(self, srn: Srn) -> dict[str, Any]:
        try:
            cached = await self._from_cache([srn])
            return cached[srn] if srn in cached else await self._gather_from(srn)
        except BaseException:
            # The next caller tries again.
            self._grains.pop(srn, None)
            raise

    async def _gather_from(self, srn: Srn) -> dict[str, Any]:
        type_ = self._plugins.resource_type(srn.type)
        await self.open(srn)
        gathering = type_.grains(self.connection(srn), self._context(srn))
        gathered = await (
            gathering if srn == self.minion else self._answered(srn, "gave no grains", gathering)
        )
        if srn == self.minion:
            if self._custom_grains is not None:
                gathered["id"] = srn.id
                # Visible only to this task, and to the threads and tasks that it starts.
                _so_far.set(gathered)
                await asyncio.to_thread(self._custom_grains, gathered)
            gathered.update(self._opts.get("grains") or {})
            gathered["id"] = srn.id
            return gathered
        self._cached_grains.keep(srn, self._binding(srn, await self._registrations([srn])), gathered)
        if self._cached_grains.is_full:
            await asyncio.to_thread(self._cached_grains.flush)
        return gathered

    @property
    def _cached_grains(self) -> KeptGrains:
        if self._opened_cached_grains is None:
            self._opened_cached_grains = self._open_cached_grains()
        return self._opened_cached_grains

    async def recall_grains(self, srns: Iterable[Srn]) -> None:
        """Use the grains that earlier commands gathered, if still valid; reads them all at once."""
        for srn, grains in (await self._from_cache([srn for srn in srns if srn not in self._grains])).items():
            if srn not in self._grains:
                known = self._grains[srn] = asyncio.get_running_loop().create_future()
                known.set_result(grains)

    async def _from_cache(self, srns: Iterable[Srn]) -> dict[Srn, dict[str, Any]]:
        asked = [srn for srn in srns if srn != self.minion and srn not in self._recalled]
        if not asked:
            return {}
        self._recalled.update(asked)
        registered = await self._registrations(asked)
        bindings = {srn: self._binding(srn, registered) for srn in asked}
        return await asyncio.to_thread(self._cached_grains.read, bindings)

    async def _registrations(self, srns: Iterable[Srn]) -> dict[Srn, str]:
        """Return when derived resources were registered, from the registry."""
        derived = {srn for srn in srns if srn not in self.index.static}
        if not derived:
            return {}

        def look() -> dict[Srn, str]:
            if len(derived) > _FEW:
                records = self._registry.records()
            else:
                records = [record_ for srn in derived if (record_ := self._registry.record(srn))]
            return {record.srn: record.registered_at for record in records if record.srn in derived}

        return await asyncio.to_thread(look)

    def _binding(self, srn: Srn, registered: Mapping[Srn, str]) -> str:
        """Return a hash of what grains belong to: a derived resource's registration, or the configuration."""
        what = registered.get(srn, "") or self.index.static.get(srn)
        content = msgspec.json.encode([what, self._opts.get("grains_file")], enc_hook=str)
        return hashlib.sha256(content).hexdigest()

    async def grains_gathered_at_s(self, srn: Srn) -> float | None:
        """Return when the cached grains of a resource were gathered, seconds since the epoch."""
        if srn == self.minion:
            return None
        binding = self._binding(srn, await self._registrations([srn]))
        return await asyncio.to_thread(self._cached_grains.gathered_at_s, srn, binding)

    async def replace_seen(self, srns: Iterable[Srn]) -> set[str]:
        """Record the resources that exist, and drop the grains of those that are gone.

        Returns:
            The names that were recorded before.

        Raises:
            StoreError: they cannot be recorded.
        """
        now = list(srns)
        return await asyncio.to_thread(self._cached_grains.replace_seen, now)

    async def clear_cached_grains(self) -> None:
        """Remove the cached grains of all resources.

        Raises:
            StoreError: the cache cannot be removed.
        """
        await asyncio.to_thread(self._cached_grains.clear)

    async def forget_grains(self, srns: Iterable[Srn]) -> None:
        """Drop the grains of resources, so that they are gathered again in this command or a later one."""
        gone = list(srns)
        for srn in gone:
            self._grains.pop(srn, None)
        await self.grains_changed(gone)

    async def grains_changed(self, srns: Iterable[Srn]) -> None:
        """Drop the cached grains of resources; this command keeps using the ones that it has."""
        if gone := [srn for srn in srns if srn != self.minion]:
            self._recalled.update(gone)
            await asyncio.to_thread(self._cached_grains.drop, gone)

    async def ping(self, srn: Srn) -> bool:
        """Return whether a resource answers; raises what its connection raises."""
        await self.open(srn)
        ping = self._plugins.resource_type(srn.type).ping(self.connection(srn), self._context(srn))
        return await self._answered(srn, "did not answer a ping", ping)

    async def _answered(self, srn: Srn, what: str, answer: Awaitable[_T]) -> _T:
        """Await the answer of a resource up to the deadline.

        Raises:
            RemoteTimeoutError: it has not answered in time.
        """
        limit = asyncio.timeout(GRAINS_S)
        try:
            async with limit:
                return await answer
        except TimeoutError:
            if not limit.expired():
                raise
            message = f"{srn} {what} within {GRAINS_S:g} s"
            fault = RemoteTimeoutError(message, target=str(srn), timeout_s=GRAINS_S)
            self.reach.lost(fault)
            raise fault from None

    async def forget(self, srn: Srn) -> None:
        """Drop everything that is held for a resource, because its configuration changed."""
        self.reach.again(str(srn))
        self._contexts.pop(srn, None)
        self._grains.pop(srn, None)
        self._recalled.discard(srn)
        connection = self._connections.pop(srn, None)
        if connection is not None:
            await connection.close()

    async def close(self) -> None:
        """Close all connections, end what is still being gathered, then end the types.

        Exceptions that a plug-in's type raises are logged.
        """
        connections, self._connections = list(self._connections.values()), {}
        gathering = [task for task in self._grains.values() if not task.done()]
        try:
            ended = await asyncio.gather(
                *(connection.close() for connection in connections), return_exceptions=True
            )
            for task in gathering:
                task.cancel()
            await asyncio.gather(*gathering, return_exceptions=True)
            if self._opened_cached_grains is not None:
                await asyncio.to_thread(self._opened_cached_grains.flush)
        finally:
            await self._plugins.shutdown()
            if self._opened_cached_grains is not None:
                self._opened_cached_grains.close()
            self.leftovers.close()
        for connection, error in zip(connections, ended, strict=True):
            if isinstance(error, BaseException):
                _logger.warning("closing %s: %s: %s", connection.srn, type(error).__name__, error)
