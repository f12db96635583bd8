"""Entries that live as long as one run: scope `run`.

Answers the same queries as the store, from dictionaries. One thread at a time may change them while any
number of threads read. Nothing is written to disk.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ensue.store.registry.entry import NEVER_S, RegistryEntry, SourceRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.model.srn import Srn


class RunEntries:
    """The run's own entries, by id, by source and by type."""

    def __init__(self) -> None:
        self._by_id: dict[str, RegistryEntry] = {}
        self._by_source: defaultdict[Srn, set[str]] = defaultdict(set)
        self._by_type: defaultdict[str, set[str]] = defaultdict(set)
        # Never later than the first expiry; may be earlier, which costs one needless search.
        self.next_expiry_s = NEVER_S

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._by_id)

    def __contains__(self, key: str) -> bool:
        """Return whether there is an entry of this id."""
        return key in self._by_id

    def __iter__(self) -> Iterator[RegistryEntry]:
        """Iterate over all entries."""
        return iter(list(self._by_id.values()))

    def find(self, key: str) -> RegistryEntry | None:
        """Return an entry by id."""
        return self._by_id.get(key)

    def derived_from(self, sources: Iterable[Srn]) -> list[RegistryEntry]:
        """Return the entries that have one of these as their source."""
        keys = (key for source in sources for key in list(self._by_source.get(source, ())))
        return [entry for entry in map(self._by_id.get, keys) if entry is not None]

    def noted(self, source: Srn) -> set[SourceRecord]:
        """Return the distinct `SourceRecord` of the active entries with this source."""
        return {entry.noted for entry in self.derived_from((source,)) if entry.active}

    def expired(self, now_s: float) -> list[RegistryEntry]:
        """Return the active entries that have expired."""
        if self.next_expiry_s > now_s:
            return []
        return [entry for entry in self._by_id.values() if entry.active and entry.expires_at_s <= now_s]

    def expired_are_marked(self, now_s: float) -> None:
        """Record that every entry that had expired by then is marked."""
        if self.next_expiry_s <= now_s:
            expiries = (entry.expires_at_s for entry in self._by_id.values() if entry.active)
            self.next_expiry_s = min(expiries, default=NEVER_S)

    def types(self) -> list[str]:
        """Return the types that have an entry."""
        return [type_ for type_, keys in list(self._by_type.items()) if keys]

    def ids(self, resource_type: str, *, active: bool) -> list[str]:
        """Return the ids of a type's entries that are active, or of those that are not."""
        entries = map(self._by_id.get, list(self._by_type.get(resource_type, ())))
        return [entry.srn.id for entry in entries if entry is not None and entry.active is active]

    def put(self, entry: RegistryEntry) -> None:
        """Add or replace an entry."""
        before = self._by_id.get(entry.srn.id)
        if before is not None and before.srn != entry.srn:
            self._by_type[before.srn.type].discard(entry.srn.id)
        if before is not None and before.source is not None and before.source != entry.source:
            self._by_source[before.source].discard(entry.srn.id)
        # Replaced atomically: a reader sees the former entry or this one, never none.
        self._by_id[entry.srn.id] = entry
        self._by_type[entry.srn.type].add(entry.srn.id)
        if entry.source is not None:
            self._by_source[entry.source].add(entry.srn.id)
        if entry.active:
            self.next_expiry_s = min(self.next_expiry_s, entry.expires_at_s)

    def remove(self, key: str) -> None:
        """Remove an entry, if there is one."""
        entry = self._by_id.pop(key, None)
        if entry is None:
            return
        self._by_type[entry.srn.type].discard(key)
        if entry.source is not None:
            self._by_source[entry.source].discard(key)
