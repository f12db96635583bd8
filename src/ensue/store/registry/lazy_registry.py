"""The project's registry and keys, opened when something first needs them: most runs derive nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.contracts.registry import DerivedRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.resource import (
        DeclaredBy,
        Orphaned,
        Registration,
        RegistrationRequest,
        ResourceRecord,
    )
    from ensue.core.model.srn import Srn
    from ensue.store.registry.vault import ProjectVault


class LazyRegistry(DerivedRegistry):
    """A `DerivedRegistry` that forwards every call to the one that `opened` returns.

    Args:
        opened: returns the project's registry, from any thread; opens it when it is not open yet.
        has_store: whether there is a store, so that a run without one does not open the registry to find out.
    """

    def __init__(self, opened: Callable[[], DerivedRegistry], has_store: Callable[[], bool]) -> None:
        self.opened = opened
        self.has_store = has_store

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none."""
        return self.opened().register_many(requests)

    def get(self, srn: Srn, *, even_orphaned: bool = False) -> DataMap | None:
        """Return the configuration of an active resource."""
        return self.opened().get(srn, even_orphaned=even_orphaned)

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return what is known of a resource."""
        return self.opened().record(srn)

    def records(self) -> list[ResourceRecord]:
        """Return every derived resource."""
        return self.opened().records()

    def find(self, ids: Iterable[str]) -> list[ResourceRecord]:
        """Return what is known of the resources with one of these ids."""
        return self.opened().find(ids)

    def types(self) -> list[str]:
        """Return the types that have a derived resource."""
        return self.opened().types()

    def list_for_type(self, resource_type: str, *, active: bool = True) -> list[str]:
        """Return the ids of all active derived resources of a type, or of the invalidated ones."""
        return self.opened().list_for_type(resource_type, active=active)

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Invalidate what is no longer valid, given a source's grains."""
        return self.opened().observe(source, grains)

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source."""
        return self.opened().invalidate(source, reason=reason)

    def declarations(self, *, orphaned: bool = False) -> dict[DeclaredBy, list[Srn]]:
        """Return the active or orphaned resources that this minion registered through declarations."""
        return self.opened().declarations(orphaned=orphaned) if self.has_store() else {}

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan the resources that a declaration no longer registers."""
        return self.opened().orphan(declared_by, srns, reason=reason)

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry."""
        return self.opened().forget(srn)

    def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources."""
        return self.opened().provenance(srn)

    def provenances(self, srns: Iterable[Srn]) -> Mapping[Srn, tuple[Srn, ...]]:
        """Return the chains of sources of many resources."""
        return self.opened().provenances(srns)

    def sources_among(self, srns: Iterable[Srn]) -> set[Srn]:
        """Return which of the sources have derived resources."""
        return self.opened().sources_among(srns)


class LazyVault:
    """A `Vault` that forwards every call to the one that `opened` returns.

    Args:
        opened: returns the project's vault, from any thread.
    """

    def __init__(self, opened: Callable[[], ProjectVault]) -> None:
        self._opened = opened

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Encrypt and authenticate; see the contract."""
        return self._opened().seal(plain, context=context)

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Decrypt; see the contract."""
        return self._opened().open(sealed, context=context)

    def fingerprint(self, content: bytes, *, context: str, like: str = "") -> str:
        """Return a fingerprint that only the project's key can make; see `ProjectVault`."""
        return self._opened().fingerprint(content, context=context, like=like)
