"""Reading many entries at once, over both scopes: by type, by id, and the chains of their sources.

The run's entry of an id hides the store's. Nothing here decrypts or changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.model.srn import Srn
    from ensue.store.registry.entry import RegistryEntry
    from ensue.store.registry.memory import RunEntries
    from ensue.store.registry.tables import StoredEntries


class Lookups:
    """One reading of the registry.

    Args:
        memory: the run's entries.
        stored: the store's entries; None when there is no store.
    """

    def __init__(self, memory: RunEntries, stored: StoredEntries | None) -> None:
        self._memory = memory
        self._stored = stored

    def every(self) -> list[RegistryEntry]:
        """Return all entries, those of the store without their configurations."""
        entries = {entry.srn.id: entry for entry in self._memory}
        for page in () if self._stored is None else self._stored.pages(with_configs=False):
            for entry in page:
                entries.setdefault(entry.srn.id, entry)
        return list(entries.values())

    def types(self) -> list[str]:
        """Return the types that have an entry, sorted."""
        return sorted({*self._memory.types(), *(() if self._stored is None else self._stored.types())})

    def ids(self, resource_type: str, *, active: bool) -> list[str]:
        """Return the ids of a type's entries that are active, or of those that are not; sorted."""
        ids = [] if self._stored is None else self._stored.ids(resource_type, active=active)
        if len(self._memory):
            ids = [key for key in ids if key not in self._memory]
            ids += self._memory.ids(resource_type, active=active)
        # A database sorts by its own rules. Sorting what is sorted already takes almost no time.
        return sorted(ids)

    def find(self, ids: Iterable[str]) -> list[RegistryEntry]:
        """Return the entries that have one of these ids, those of the store without their configurations."""
        keys_asked = dict.fromkeys(ids)
        own = [entry for key in keys_asked if (entry := self._memory.find(key)) is not None]
        rest = keys_asked.keys() - {entry.srn.id for entry in own}
        stored = [] if self._stored is None or not rest else self._stored.find(rest, with_configs=False)
        return [*own, *stored]

    def sources_among(self, srns: Iterable[Srn]) -> set[Srn]:
        """Return which of the sources have an entry derived from them, in either scope."""
        asked = set(srns)
        derived = self._memory.derived_from(asked)
        if self._stored is not None:
            derived += self._stored.derived_from(asked)
        return {entry.source for entry in derived if entry.source is not None}

    def provenances(self, srns: Iterable[Srn]) -> dict[Srn, tuple[Srn, ...]]:
        """Return the chains of sources, nearest first, of the resources that have a source.

        A cycle ends before its first member repeats. Each level of the chains takes one query.
        """
        asked = list(srns)
        source_of: dict[Srn, Srn] = {}
        level, seen = set(asked), set(asked)
        while level:
            sources = self._sources(level)
            source_of |= sources
            level = set(sources.values()) - seen
            seen |= level
        return {srn: tuple(_chain(srn, source_of)) for srn in asked if srn in source_of}

    def _sources(self, srns: set[Srn]) -> dict[Srn, Srn]:
        own = [entry for srn in srns if (entry := self._memory.find(srn.id)) is not None]
        keys = {srn.id for srn in srns}.difference(entry.srn.id for entry in own)
        sources_ = {} if self._stored is None or not keys else self._stored.sources(keys)
        sources_ |= {entry.srn: entry.source for entry in own if entry.source is not None}
        # The same id may belong to another type than the one that was asked for.
        return {srn: source for srn, source in sources_.items() if srn in srns}


def _chain(srn: Srn, source_of: Mapping[Srn, Srn]) -> Iterator[Srn]:
    seen = {srn}
    while (source := source_of.get(srn)) is not None and source not in seen:
        yield source
        seen.add(source)
        srn = source
