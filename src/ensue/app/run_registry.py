"""The registry as states see it during a run: every registration is told to the run and the directory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.errors import ResourceError
from ensue.model.events import ResourceRegistered
from ensue.model.resource import RegistrationRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.app.directory import Directory
    from ensue.contracts.registry import DerivedRegistry, RegistryScope
    from ensue.diagnostics import Span
    from ensue.model.data import Data, DataMap
    from ensue.model.events import RunEvent
    from ensue.model.resource import Registration, ResourceRecord
    from ensue.model.srn import Srn


class RunRegistry:
    """A `DerivedRegistry` that announces what it does; everything else is the registry behind it.

    Args:
        registry: the registry of the project.
        directory: drops what it holds of a resource whose configuration changed.
        on_event: told of registrations.
        loop: the event loop, on which both are told.
        place: returns the place of the state that it is given to; None where it belongs to none.
        by: the resource on which that state runs.
        joined: told, on the event loop, of every resource that is registered, and by which resource's state.
    """

    def __init__(
        self,
        registry: DerivedRegistry,
        directory: Directory,
        on_event: Callable[[RunEvent], None],
        loop: asyncio.AbstractEventLoop,
        *,
        place: Callable[[], Span] | None = None,
        by: Srn | None = None,
        joined: Callable[[Srn, Srn | None], None] | None = None,
    ) -> None:
        self._registry = registry
        self._directory = directory
        self._on_event = on_event
        self._loop = loop
        self._place = place
        self._by = by
        self._joined = joined

    def register(
        self,
        srn: Srn,
        config: Mapping[str, Data],
        *,
        source: Srn | None = None,
        watch: Sequence[str] = ("status",),
        source_grains: Mapping[str, Data] | None = None,
        ttl_s: float | None = None,
        scope: RegistryScope = "cache",
    ) -> Registration:
        """Register a resource; called from a thread beside the event loop."""
        request = RegistrationRequest(
            srn=srn,
            config=config,
            source=source,
            watch=watch,
            source_grains=source_grains,
            ttl_s=ttl_s,
            scope=scope,
        )
        return self.register_many((request,))[0]

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none; called from a thread beside the event loop."""
        try:
            all_done = self._registry.register_many(requests)
        except ResourceError as error:
            if self._place is None:
                raise
            raise type(error)(f"{self._place()}: {error}") from None
        for request, done in zip(requests, all_done, strict=True):
            source = str(request.source) if request.source else None
            event = ResourceRegistered(srn=str(request.srn), source=source, changed=done.changed)
            hit = (request.srn, *done.invalidated) if done.changed else done.invalidated
            self._tell(event, hit, request.srn)
        return all_done

    def of_state(self, place: Callable[[], Span] | None, by: Srn) -> RunRegistry:
        """Return this registry for one state: what it refuses is reported with the state's place.

        Args:
            place: returns the place; called only when something is refused; None: whoever asks adds it.
            by: the resource on which the state runs.
        """
        own = (self._registry, self._directory, self._on_event, self._loop)
        return RunRegistry(*own, place=place, by=by, joined=self._joined)

    def is_as_registered(self, srn: Srn) -> None:
        """Tell, in a plan, that an apply would register a resource as it is; from a thread."""
        self._tell(None, (), srn)

    def get(self, srn: Srn) -> DataMap | None:
        """Return the configuration of an active resource."""
        return self._registry.get(srn)

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return what is known of a resource."""
        return self._registry.record(srn)

    def records(self) -> list[ResourceRecord]:
        """Return every derived resource."""
        return self._registry.records()

    def list_for_type(self, resource_type: str) -> list[str]:
        """Return the ids of all active derived resources of a type."""
        return self._registry.list_for_type(resource_type)

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Invalidate what no longer holds."""
        hit = self._registry.observe(source, grains)
        self._tell(None, hit)
        return hit

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source."""
        hit = self._registry.invalidate(source, reason=reason)
        self._tell(None, hit)
        return hit

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry."""
        self._tell(None, (srn,))
        return self._registry.forget(srn)

    def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources."""
        return self._registry.provenance(srn)

    def _tell(self, event: RunEvent | None, changed: Sequence[Srn], registered: Srn | None = None) -> None:
        """Wait until the event loop has dropped what it held: a later state must see what is new."""
        if event is None and not changed and registered is None:
            return
        asyncio.run_coroutine_threadsafe(self._on_loop(event, changed, registered), self._loop).result()

    async def _on_loop(self, event: RunEvent | None, changed: Sequence[Srn], registered: Srn | None) -> None:
        if event is not None:
            self._on_event(event)
        for srn in changed:
            await self._directory.forget(srn)
        if registered is not None and self._joined is not None:
            self._joined(registered, self._by)
