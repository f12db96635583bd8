"""Every resource that can be targeted now: this machine, what pillar declares, what was derived.

Looks resources up by SRN or bare id, opens their connections (one each, shared), and gathers their
grains once. A derived resource is visible from the moment it is registered.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from ensue.app.resource_index import ResourceIndex
from ensue.contracts.resource_type import ResourceContext
from ensue.errors import NotAvailableError, UnknownResourceError
from ensue.model.srn import MINION_TYPE, Srn
from ensue.resources.leftovers import FOLDER, Leftovers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ensue.contracts.connection import Connection
    from ensue.contracts.registry import DerivedRegistry
    from ensue.masking import Masker
    from ensue.model.resource import ResourceRecord
    from ensue.resources.plugins import Plugins

_logger = logging.getLogger(__name__)


class Directory:
    """The resources of one project.

    Args:
        minion: this machine.
        minion_config: its configuration (`root`).
        opts: options of the project.
        cache_dir: the project's cachedir.
        plugins: resource types.
        registry: derived resources.
        masker: told of the secrets in configurations.
    """

    def __init__(
        self,
        *,
        minion: Srn,
        minion_config: Mapping[str, Any],
        opts: Mapping[str, Any],
        cache_dir: Path,
        plugins: Plugins,
        registry: DerivedRegistry,
        masker: Masker,
    ) -> None:
        self.minion = minion
        self._minion_config = dict(minion_config)
        self._opts = opts
        self._cache_dir = cache_dir
        self._plugins = plugins
        self._registry = registry
        self._masker = masker
        self.leftovers = Leftovers(cache_dir / FOLDER)
        self.index = ResourceIndex(minion, registry)
        self._connections: dict[Srn, Connection] = {}
        self._contexts: dict[Srn, ResourceContext] = {}
        self._grains: dict[Srn, asyncio.Task[dict[str, Any]]] = {}

    def set_static(self, resources: Mapping[Srn, dict[str, Any]], discovered: Iterable[Srn] = ()) -> None:
        """Take note of the resources that are there by themselves; their secrets are masked from now on.

        Args:
            resources: those that pillar declares and those that types discovered.
            discovered: which of them were discovered.
        """
        self.index.set_static(resources, discovered)
        for srn, config in resources.items():
            secrets = self._plugins.resource_type(srn.type).SECRET_KEYS
            self._masker.add(
                *(str(config[key]) for key in secrets & config.keys() if config[key] is not None)
            )

    def declared_as(self, resource_id: str) -> Srn | None:
        """Return what has an id among this machine and the resources that pillar declares."""
        return self.index.declared_as(resource_id)

    def resolve(self, target: Srn | str) -> Srn:
        """Return the SRN of a resource that can be targeted.

        Raises:
            UnknownResourceError: there is none, or it was invalidated.
        """
        record = self.index.resolve(target)
        if record.status != "active":
            raise UnknownResourceError(self.why_gone(record))
        return record.srn

    def why_gone(self, record: ResourceRecord) -> str:
        """Say why a resource that is known cannot be targeted, and how to bring it back."""
        chain = " <- ".join(map(str, (record.srn, *self._registry.provenance(record.srn))))
        because = f": {record.invalidated_because}" if record.invalidated_because else ""
        return (
            f"{record.srn} was invalidated{because} ({chain}); apply the state that provides "
            f"{record.source or 'it'} to bring it back"
        )

    def records(self) -> list[ResourceRecord]:
        """Return every resource: this machine, pillar-declared, discovered, derived; sorted by SRN."""
        return self.index.records()

    def config(self, srn: Srn) -> dict[str, Any] | None:
        """Return a resource's configuration in the clear, None when there is no such active resource."""
        if srn == self.minion:
            return self._minion_config
        static = self.index.static.get(srn)
        return static if static is not None else self._registry.get(srn)

    def connection(self, srn: Srn) -> Connection:
        """Return the shared connection of a resource; it connects when first used.

        Raises:
            UnknownResourceError: it has no configuration.
            PluginError: its type has to be opened first, and was not.
        """
        if srn not in self._connections:
            type_ = self._plugins.resource_type(srn.type)
            type_.must_be_ready()
            self._connections[srn] = type_.connect(self._context(srn))
        return self._connections[srn]

    async def open(self, srn: Srn) -> None:
        """Have a connection at hand before it is asked for, where a type may take its time for it.

        Raises:
            UnknownResourceError: there is no such resource.
            EnsueError: the type's `init` or `connect` raised, or did not return.
        """
        if srn in self._connections:
            return
        type_ = self._plugins.resource_type(srn.type)
        if type_.needs_opening:
            connection = await type_.opened(self._context(srn))
            # Somebody else may have opened it meanwhile.
            self._connections.setdefault(srn, connection)

    def _context(self, srn: Srn) -> ResourceContext:
        if srn not in self._contexts:
            config = self.config(srn)
            if config is None:
                raise UnknownResourceError(self.index.unknown(str(srn)))
            self._contexts[srn] = ResourceContext(
                srn=srn,
                config=config,
                opts=self._opts,
                cache_dir=self._cache_dir,
                masker=self._masker,
                connect_to=self._connect_to,
                leftovers=self.leftovers,
            )
        return self._contexts[srn]

    def _connect_to(self, other: Srn) -> Connection:
        return self.connection(self.resolve(other))

    async def grains(self, srn: Srn) -> dict[str, Any]:
        """Return a resource's grains, gathered once and shared by all who ask meanwhile."""
        task = self._grains.get(srn)
        if task is None:
            task = self._grains[srn] = asyncio.create_task(self._gather(srn))
            # Everybody who asked may have given up by the time it fails.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task.result() if task.done() else await asyncio.shield(task)

    def gathered_grains(self, srn: Srn) -> dict[str, Any] | None:
        """Return a resource's grains if they have been gathered, from any thread."""
        task = self._grains.get(srn)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    async def _gather(self, srn: Srn) -> dict[str, Any]:
        type_ = self._plugins.resource_type(srn.type)
        try:
            await self.open(srn)
            gathered = await type_.grains(self.connection(srn), self._context(srn))
        except BaseException:
            # The next one who asks tries anew.
            self._grains.pop(srn, None)
            raise
        if srn == self.minion:
            gathered.update(self._opts.get("grains") or {})
            gathered["id"] = srn.id
        return gathered

    def forget_grains(self, srn: Srn) -> None:
        """Gather a resource's grains anew when somebody asks next."""
        self._grains.pop(srn, None)

    async def ping(self, srn: Srn) -> bool:
        """Say whether a resource answers; raises what its connection raises."""
        await self.open(srn)
        return await self._plugins.resource_type(srn.type).ping(self.connection(srn), self._context(srn))

    async def forget(self, srn: Srn) -> None:
        """Give up what is held of a resource, because its configuration changed."""
        self._contexts.pop(srn, None)
        self._grains.pop(srn, None)
        connection = self._connections.pop(srn, None)
        if connection is not None:
            await connection.close()

    async def close(self) -> None:
        """Close all connections, end what is still being gathered, then end the types.

        What a type of others raises is logged.
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
        finally:
            await self._plugins.shutdown()
            self.leftovers.close()
        for connection, error in zip(connections, ended, strict=True):
            if isinstance(error, BaseException):
                _logger.warning("closing %s: %s: %s", connection.srn, type(error).__name__, error)


__all__ = ["MINION_TYPE", "Directory", "NotAvailableError"]
