"""The registry as states see it during a run: it announces registrations to the run and the directory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import msgspec

from ensue.core.contracts.from_thread import from_thread, refuse_on_loop
from ensue.core.errors import ResourceError
from ensue.core.model.events import ResourceOrphaned, ResourceRegistered
from ensue.core.model.resource import Registration, source_label
from ensue.store.registry.lazy_registry import LazyRegistry
from ensue.store.registry.run_claims import RunClaims

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.model.data import Data
    from ensue.core.model.events import RunEvent
    from ensue.core.model.resource import DeclaredBy, Orphaned, RegistrationRequest
    from ensue.core.model.srn import Srn
    from ensue.engine.services import CallSite
    from ensue.language.targets.directory import Directory


class Registrant(msgspec.Struct, frozen=True, kw_only=True):
    """The state that registers resources.

    Args:
        by: the resource on which it runs.
        site: its call; None after it has ended, when the caller says where the state is declared.
        declare: returns what a registration records about the state.
    """

    by: Srn
    site: CallSite | None = None
    declare: Callable[[CallSite], DeclaredBy] | None = None


class RunRegistry(LazyRegistry):
    """The project's registry, which announces its changes.

    Args:
        registry: the registry without announcements.
        directory: drops what it holds for a resource whose configuration changed.
        on_event: called with registrations.
        loop: the event loop, on which both are called.
        joined: called, on the event loop, with every resource that is registered, and with the resource on
            which the registering state runs.
        registrant: the state that uses this registry; None if it belongs to none.
    """

    def __init__(
        self,
        registry: LazyRegistry,
        directory: Directory,
        on_event: Callable[[RunEvent], None],
        loop: asyncio.AbstractEventLoop,
        *,
        joined: Callable[[Srn, Srn | None], None] | None = None,
        registrant: Registrant | None = None,
    ) -> None:
        super().__init__(registry.opened, registry.has_store)
        self.registered: set[Srn] = set()
        """What was registered in this run, whether or not it was there before."""
        self.joined: set[Srn] = set()
        """What was registered in this run and was not there before, or with another configuration."""
        self.left: set[Srn] = set()
        """What this run has orphaned, invalidated or unregistered, or in a plan would, and not registered."""
        self.leaving: set[Srn] = set()
        """What states of a plan would invalidate or unregister."""
        self.claims = RunClaims()
        self._directory = directory
        self._on_event = on_event
        self._loop = loop
        self._joined = joined
        self._registrant = registrant

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none; called from a thread beside the event loop."""
        refuse_on_loop(self._loop)
        site = self._registrant.site if self._registrant else None
        if self._registrant is not None and self._registrant.declare is not None and site is not None:
            declared_by = self._registrant.declare(site)
            requests = [_declared(request, declared_by) for request in requests]
        try:
            with self.claims.claim(site, requests) if site else nullcontext([True] * len(requests)) as is_own:
                own = [request for request, is_ours in zip(requests, is_own, strict=True) if is_ours]
                all_done = self.opened().register_many(own)
        except ResourceError as error:
            if site is None:
                raise
            raise type(error)(f"{site.chunk.span()}: {error}") from None
        self.registered.update(request.srn for request in requests)
        self.left.difference_update(request.srn for request in requests)
        for request, done in zip(own, all_done, strict=True):
            source = str(request.source) if request.source else None
            label = source_label(request.source, request.declared_by) if request.source else ""
            event = ResourceRegistered(str(request.srn), source, done.changed, label)
            hit = (request.srn, *done.invalidated) if done.changed else done.invalidated
            if done.changed:
                self.joined.add(request.srn)
            self.claims.give_up(done.invalidated)
            self._tell(event, hit, request.srn)
        done_by_own = iter(all_done)
        return [
            next(done_by_own) if is_registered else Registration(srn=request.srn, changed=False)
            for request, is_registered in zip(requests, is_own, strict=True)
        ]

    def of_state(self, site: CallSite, declare: Callable[[CallSite], DeclaredBy]) -> RunRegistry:
        """Return this registry for one state, which errors and registrations then name.

        Args:
            site: the call of the state.
            declare: returns what a registration records about the state.
        """
        return self._for(Registrant(by=site.target, site=site, declare=declare))

    def on_behalf_of(self, by: Srn) -> RunRegistry:
        """Return this registry for registrations after a state has ended.

        Args:
            by: the resource on which the state ran.
        """
        return self._for(Registrant(by=by))

    def _for(self, registrant: Registrant) -> RunRegistry:
        own = (self, self._directory, self._on_event, self._loop)
        registry = RunRegistry(*own, joined=self._joined, registrant=registrant)
        registry.registered, registry.joined = self.registered, self.joined
        registry.left, registry.leaving = self.left, self.leaving
        registry.claims = self.claims
        return registry

    def is_as_registered(self, srn: Srn) -> None:
        """Announce, in a plan, that an apply would register a resource unchanged; called in a thread."""
        self._tell(None, (), srn)

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Invalidate what grains of a source make invalid."""
        refuse_on_loop(self._loop)
        hit = self.opened().observe(source, grains)
        self.claims.give_up(hit)
        self._tell(None, hit)
        return hit

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source."""
        refuse_on_loop(self._loop)
        hit = self.opened().invalidate(source, reason=reason)
        self.left.update(hit)
        self.claims.give_up(hit)
        self._tell(None, hit)
        return hit

    def would_invalidate(self, source: Srn) -> list[Srn]:
        """Return what `invalidate` would invalidate, which a plan then does not take for orphaned."""
        hit = super().would_invalidate(source)
        self._would_leave(hit)
        return hit

    def would_forget(self, srn: Srn) -> list[Srn]:
        """Return what is derived from a resource that `forget` would remove; it is not orphaned then."""
        self._would_leave((srn,))
        return self.would_invalidate(srn)

    def _would_leave(self, srns: Sequence[Srn]) -> None:
        self.claims.give_up(srns)
        self.leaving.update(srns)
        self.left.update(srns)

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan what a declaration no longer registers."""
        refuse_on_loop(self._loop)
        done = self.opened().orphan(declared_by, srns, reason=reason)
        self.left.update(done.srns, done.invalidated)
        self.claims.give_up((*done.srns, *done.invalidated))
        for srn in done.srns:
            self._tell(ResourceOrphaned(srn=str(srn), because=reason), (srn,))
        self._tell(None, done.invalidated)
        return done

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry."""
        self.claims.give_up((srn,))
        self._tell(None, (srn,))
        is_forgotten = self.opened().forget(srn)
        if is_forgotten:
            self.left.add(srn)
        return is_forgotten

    def _tell(self, event: RunEvent | None, changed: Sequence[Srn], registered: Srn | None = None) -> None:
        """Wait until the event loop has dropped what it held, so that later states see what is new."""
        if event is None and not changed and registered is None:
            return
        from_thread(self._on_loop(event, changed, registered), self._loop)

    async def _on_loop(self, event: RunEvent | None, changed: Sequence[Srn], registered: Srn | None) -> None:
        if event is not None:
            self._on_event(event)
        for srn in changed:
            await self._directory.forget(srn)
        if registered is not None and self._joined is not None:
            self._joined(registered, self._registrant.by if self._registrant else None)


def _declared(request: RegistrationRequest, declared_by: DeclaredBy) -> RegistrationRequest:
    if request.declared_by is not None:
        return request
    return msgspec.structs.replace(request, declared_by=declared_by)
