"""`FakeRegistry`: derived resources in a dict, for tests. Nothing is stored or encrypted."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from ensue.core.contracts.registry import DerivedRegistry
from ensue.core.errors import ResourceConflictError
from ensue.core.model.resource import Orphaned, Registration, ResourceRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.resource import DeclaredBy, RegistrationRequest, ResourceStatus
    from ensue.core.model.srn import Srn


@dataclass(slots=True, kw_only=True)
class _FakeEntry:
    record: ResourceRecord
    config: DataMap
    watch: tuple[str, ...]
    fingerprint: DataMap
    declared_by: DeclaredBy | None = field(default=None, compare=False)


class FakeRegistry(DerivedRegistry):
    """A `DerivedRegistry` in memory.

    Args:
        minion_id: the id under which it registers.
    """

    def __init__(self, minion_id: str = "minion") -> None:
        self._minion_id = minion_id
        self._entries: dict[Srn, _FakeEntry] = {}

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none."""
        before = dict(self._entries)
        try:
            return [self._register_one(request) for request in requests]
        except ResourceConflictError:
            self._entries = before
            raise

    def _register_one(self, request: RegistrationRequest) -> Registration:
        srn, grains = request.srn, request.source_grains or {}
        for known in self._entries:
            if known.id == srn.id and known.type != srn.type:
                raise ResourceConflictError(
                    f"the id {srn.id} is registered as {known}: {srn} cannot have it too"
                )
        old = self._entries.get(srn)
        new = _FakeEntry(
            record=ResourceRecord(srn=srn, managing_minions=(self._minion_id,), source=request.source),
            config=copy.deepcopy(dict(request.config)),
            watch=tuple(request.watch),
            fingerprint=_watched(request.watch, grains),
            declared_by=request.declared_by,
        )
        if old == new:
            self._entries[srn] = new
            return Registration(srn=srn, changed=False)
        differs = old is not None and old.config != new.config
        hit = tuple(self.invalidate(srn)) if differs else ()
        self._entries[srn] = new
        return Registration(srn=srn, changed=True, invalidated=hit)

    def get(self, srn: Srn, *, even_orphaned: bool = False) -> DataMap | None:
        """Return an active resource's configuration."""
        entry = self._entries.get(srn)
        statuses = {"active", "orphaned"} if even_orphaned else {"active"}
        if entry is None or entry.record.status not in statuses:
            return None
        return copy.deepcopy(entry.config)

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return what is known of a resource."""
        entry = self._entries.get(srn)
        return None if entry is None else entry.record

    def records(self) -> list[ResourceRecord]:
        """Return all resources."""
        return [self._entries[srn].record for srn in sorted(self._entries)]

    def find(self, ids: Iterable[str]) -> list[ResourceRecord]:
        """Return the resources with one of these ids."""
        asked = set(ids)
        return [record for record in self.records() if record.srn.id in asked]

    def types(self) -> list[str]:
        """Return the types that have a resource."""
        return sorted({srn.type for srn in self._entries})

    def list_for_type(self, resource_type: str, *, active: bool = True) -> list[str]:
        """Return active ids of a type, or those of its invalidated resources."""
        status = "active" if active else "invalidated"
        return [
            record.srn.id
            for record in self.records()
            if record.srn.type == resource_type and record.status == status
        ]

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Invalidate what no longer matches the source's grains."""
        hit: set[Srn] = set()
        for srn, entry in list(self._entries.items()):
            stale = entry.record.source == source and entry.fingerprint != _watched(entry.watch, grains)
            if stale and entry.record.status == "active":
                self._mark(srn, "the source's grains changed")
                hit |= {srn, *self.invalidate(srn)}
        return sorted(hit)

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source."""
        hit: set[Srn] = set()
        for srn, entry in list(self._entries.items()):
            if entry.record.source == source and entry.record.status == "active":
                self._mark(srn, reason or f"{source} was invalidated")
                hit |= {srn, *self.invalidate(srn, reason=reason)}
        return sorted(hit)

    def declarations(self, *, orphaned: bool = False) -> dict[DeclaredBy, list[Srn]]:
        """Return the active or orphaned resources that were registered through declarations."""
        status = "orphaned" if orphaned else "active"
        by_declaration: dict[DeclaredBy, list[Srn]] = {}
        for srn, entry in self._entries.items():
            if entry.record.status == status and entry.declared_by is not None:
                by_declaration.setdefault(entry.declared_by, []).append(srn)
        return by_declaration

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan the resources that a declaration no longer registers."""
        gone = sorted(set(srns) & set(self.declarations().get(declared_by, ())))
        for srn in gone:
            self._mark(srn, reason, status="orphaned")
        below = {hit for srn in gone for hit in self.invalidate(srn, reason=f"{srn} was orphaned")}
        return Orphaned(srns=tuple(gone), invalidated=tuple(sorted(below)))

    def forget(self, srn: Srn) -> bool:
        """Remove an entry."""
        return self._entries.pop(srn, None) is not None

    def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources."""
        chain: list[Srn] = []
        entry = self._entries.get(srn)
        while entry is not None and entry.record.source is not None and entry.record.source not in chain:
            chain.append(entry.record.source)
            entry = self._entries.get(entry.record.source)
        return tuple(chain)

    def provenances(self, srns: Iterable[Srn]) -> dict[Srn, tuple[Srn, ...]]:
        """Return the chains of sources of many resources."""
        return {srn: chain for srn in srns if (chain := self.provenance(srn))}

    def sources_among(self, srns: Iterable[Srn]) -> set[Srn]:
        """Return which of the sources have derived resources."""
        sources = {entry.record.source for entry in self._entries.values()}
        return {srn for srn in srns if srn in sources}

    def _mark(self, srn: Srn, reason: str, status: ResourceStatus = "invalidated") -> None:
        entry = self._entries[srn]
        entry.record = msgspec.structs.replace(entry.record, status=status, invalidated_because=reason)


def _watched(watch: Sequence[str], grains: Mapping[str, Data]) -> DataMap:
    return {key: grains[key] for key in watch if key in grains}
