"""The registry of a minion in a run over minions: what it changes here, it shares with the coordinator.

A resource is registered with the coordinator first: it refuses what another minion manages, and then nothing
is registered here, either. Resources with `scope: run` stay in this process, and those of the type `minion`
stay on this machine, because the ids of minions are Salt's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.from_thread import from_thread
from ensue.core.errors import EnsueError, RemoteError, StoreError
from ensue.core.model.srn import MINION_TYPE
from ensue.store.registry.lazy_registry import LazyRegistry

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Iterable, Mapping, Sequence

    from ensue.core.contracts.other_resources import OtherResources, Withdrawal
    from ensue.core.model.data import Data
    from ensue.core.model.resource import DeclaredBy, Orphaned, Registration, RegistrationRequest
    from ensue.core.model.srn import Srn


class SharedRegistry(LazyRegistry):
    """A registry that shares its changes; its methods are called in threads beside the event loop.

    Args:
        own: the registry of this minion.
        others: the resources of the other minions.
        loop: the event loop of the run.
    """

    def __init__(self, own: LazyRegistry, others: OtherResources, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(own.opened, own.has_store)
        self._others = others
        self._loop = loop

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none.

        Raises:
            ResourceConflictError: another minion manages one of them, or an id is taken.
            ResourceError: a type refuses a configuration, or one cannot be stored.
            StoreError: the store cannot be read or written, or the coordinator does not answer.
        """
        shared = [
            request for request in requests if request.scope == "cache" and request.srn.type != MINION_TYPE
        ]
        if not shared:
            return super().register_many(requests)
        known = {
            record.srn for record in self.find(registration_request.srn.id for registration_request in shared)
        }
        self._share(self._others.share(shared))
        try:
            registered = super().register_many(requests)
        except EnsueError:
            self._withdraw(
                [
                    registration_request.srn
                    for registration_request in shared
                    if registration_request.srn not in known
                ],
                "forgotten",
            )
            raise
        gone = {srn for registration in registered for srn in registration.invalidated}
        self._withdraw(gone, "invalidated", "what it was derived from has changed")
        return registered

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Invalidate what is no longer valid, given a source's grains."""
        hit = super().observe(source, grains)
        self._withdraw(hit, "invalidated", f"{source} has changed")
        return hit

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source."""
        hit = super().invalidate(source, reason=reason)
        self._withdraw(hit, "invalidated", reason or f"{source} was invalidated")
        return hit

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan the resources that a declaration no longer registers."""
        done = super().orphan(declared_by, srns, reason=reason)
        self._withdraw(done.srns, "orphaned", reason)
        self._withdraw(done.invalidated, "invalidated", "what it was derived from was orphaned")
        return done

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry."""
        is_forgotten = super().forget(srn)
        self._withdraw((srn,) if is_forgotten else (), "forgotten")
        return is_forgotten

    def _withdraw(self, srns: Iterable[Srn], how: Withdrawal, reason: str = "") -> None:
        if gone := sorted(srn for srn in srns if srn.type != MINION_TYPE):
            self._share(self._others.withdraw(gone, how, reason))

    def _share(self, sharing: Coroutine[Any, Any, None]) -> None:
        try:
            from_thread(sharing, self._loop)
        except RemoteError as error:
            raise StoreError(f"the registry of the run: {error}") from error
