"""The entries that one operation reads and changes, over both scopes, written at its end.

An operation reads and changes a `WorkingSet`. The store's part is then written in one transaction, and the
memory's part after that has succeeded. An id is in one scope at a time: the one it was last registered in.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.srn import Srn
    from ensue.store.registry.entry import RegistryEntry, SourceRecord
    from ensue.store.registry.memory import RunEntries
    from ensue.store.registry.tables import StoredEntries


class WorkingSet:
    """A view of all entries in which changes are visible at once.

    Args:
        memory: the run's entries.
        stored: the store's entries inside a transaction; None when there is no store.
    """

    def __init__(self, memory: RunEntries, stored: StoredEntries | None) -> None:
        self._memory = memory
        self.stored = stored
        self._found: dict[str, RegistryEntry | None] = {}
        self._now: dict[str, RegistryEntry | None] = {}
        self._swept_at_s = 0.0
        self._put_by_source: defaultdict[Srn, set[str]] = defaultdict(set)

    def load(self, keys: Iterable[str]) -> None:
        """Read entries by id in as few statements as possible, for `find`."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._now]
        in_store = [key for key in missing if key not in self._memory]
        stored = self.stored.find(in_store) if self.stored is not None and in_store else []
        by_id: dict[str, RegistryEntry | None] = {entry.srn.id: entry for entry in stored}
        for key in missing:
            self._found[key] = self._now[key] = self._memory.find(key) or by_id.get(key)

    def find(self, key: str) -> RegistryEntry | None:
        """Return an entry by id as it is now."""
        self.load((key,))
        return self._now[key]

    def find_active(self, srn: Srn) -> RegistryEntry | None:
        """Return the entry of a resource as it is now, None when it may not be targeted."""
        entry = self.find(srn.id)
        return entry if entry is not None and entry.srn == srn and entry.active else None

    def derived_from(self, sources: Iterable[Srn]) -> list[RegistryEntry]:
        """Return the entries that now have one of these as their source."""
        srns = set(sources)
        registry_entries = self._memory.derived_from(srns)
        if self.stored is not None:
            registry_entries += self.stored.derived_from(srns)
        self._remember(registry_entries)
        keys = {entry.srn.id for entry in registry_entries}
        for source in srns & self._put_by_source.keys():
            keys |= self._put_by_source[source]
        now = (self._now[key] for key in keys)
        return [entry for entry in now if entry is not None and entry.source in srns]

    def expired(self, now_s: float) -> list[RegistryEntry]:
        """Return the active entries that have expired; call it only before anything is changed."""
        self._swept_at_s = now_s
        registry_entries = self._memory.expired(now_s)
        if self.stored is not None and self.stored.next_expiry_s() <= now_s:
            registry_entries += self.stored.expired(now_s)
        self._remember(registry_entries)
        return [entry for entry in registry_entries if self._now[entry.srn.id] is entry]

    def noted(self, source: Srn) -> set[SourceRecord]:
        """Return the distinct `SourceRecord` of a source, as written before this operation."""
        stored: set[SourceRecord] = set() if self.stored is None else self.stored.noted(source)
        return stored | self._memory.noted(source)

    def put(self, entry: RegistryEntry) -> None:
        """Add or replace an entry."""
        self.load((entry.srn.id,))
        self._now[entry.srn.id] = entry
        if entry.source is not None:
            self._put_by_source[entry.source].add(entry.srn.id)

    def remove(self, key: str) -> bool:
        """Remove an entry; False when there is none."""
        there = self.find(key) is not None
        self._now[key] = None
        return there

    def write_stored(self) -> bool:
        """Write the store's part into its transaction; return whether there was any."""
        changes = [
            (self._found[key], entry) for key, entry in self._now.items() if entry is not self._found[key]
        ]
        new = [entry for before, entry in changes if _in_store(entry) and not _in_store(before)]
        gone = [before for before, entry in changes if _in_store(before) and not _in_store(entry)]
        both = [(before, entry) for before, entry in changes if _in_store(before) and _in_store(entry)]
        if self.stored is not None:
            self.stored.insert([entry for entry in new if entry is not None])
            self.stored.remove([before.srn.id for before in gone if before is not None])
            self.stored.update([new for old, new in both if old and new and not _same_content(old, new)])
            self.stored.update_standing([new for old, new in both if old and new and _same_content(old, new)])
        return bool(new or gone or both)

    def write_memory(self) -> None:
        """Write the memory's part; call it only once the store's part is committed."""
        for key, entry in self._now.items():
            if entry is self._found[key]:
                continue
            if entry is not None and entry.scope == "run":
                self._memory.put(entry)
            else:
                self._memory.remove(key)
        self._memory.expired_are_marked(self._swept_at_s)

    def _remember(self, entries: Iterable[RegistryEntry]) -> None:
        for entry in entries:
            # The run's own entry hides the store's.
            if entry.srn.id not in self._now:
                own = self._memory.find(entry.srn.id) or entry
                self._found[entry.srn.id] = self._now[entry.srn.id] = own


def _in_store(entry: RegistryEntry | None) -> bool:
    return entry is not None and entry.scope == "cache"


def _same_content(before: RegistryEntry, after: RegistryEntry) -> bool:
    return (
        before.config == after.config
        and before.srn == after.srn
        and before.source == after.source
        and before.watch == after.watch
        and before.minion == after.minion
        and before.registered_at_s == after.registered_at_s
    )
