"""Invalidation of everything that is derived from a source, transitively, when it changes, ends or expires.

Entries are marked and kept, so that a message can say why a resource can no longer be targeted.

Source: derived-resources document, "Cache invalidation granularity".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.store.registry import fingerprint
from ensue.store.registry.entry import RegistryEntry, SourceRecord, iso_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ensue.core.contracts.other_resources import Withdrawal
    from ensue.core.contracts.registry import RegistryScope
    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn
    from ensue.store.registry.working_set import WorkingSet


def invalidate_derived(
    working: WorkingSet, source: Srn, *, reason: str, spare: Collection[Srn] = ()
) -> list[RegistryEntry]:
    """Mark what was derived from a source, and what was derived from that.

    Args:
        working: the entries.
        source: the source.
        reason: why it is no longer valid; entries further down name the entry above them.
        spare: entries that were registered again and are therefore valid.

    Returns:
        The entries that were active or orphaned before, as they are now, sorted by SRN.
    """
    return _descend(working, {source: reason}, spare=spare)


def orphan(
    working: WorkingSet, srns: Collection[Srn], *, reason: str
) -> tuple[list[RegistryEntry], list[RegistryEntry]]:
    """Mark entries that nothing registers any more, and invalidate what was derived from them.

    Args:
        working: the entries.
        srns: the resources.
        reason: why nothing registers them.

    Returns:
        What was orphaned and what was invalidated, each sorted by SRN.
    """
    hit = [_mark(working, entry, reason, orphaned=True) for entry in map(working.find_active, srns) if entry]
    own = {entry.srn: f"{entry.srn} was orphaned" for entry in hit}
    below = _descend(working, own, spare=own)
    return sorted(hit, key=lambda entry: entry.srn), below


def withdraw(
    working: WorkingSet, srns: Collection[Srn], *, minion: str, how: Withdrawal, reason: str
) -> list[RegistryEntry]:
    """Mark entries of one minion that this minion no longer has as targets; returns them, sorted by SRN."""
    own = [
        entry
        for srn in srns
        if (entry := working.find(srn.id)) is not None and entry.srn == srn and entry.minion == minion
    ]
    marked = [_mark(working, entry, reason, orphaned=how == "orphaned") for entry in own]
    return sorted(marked, key=lambda entry: entry.srn)


def invalidate_expired(working: WorkingSet, now_s: float) -> list[RegistryEntry]:
    """Mark the entries that have expired, and what was derived from them."""
    hit = [
        _mark(working, entry, f"not confirmed within {entry.ttl_s:g} s, by {iso_time(entry.expires_at_s)}")
        for entry in working.expired(now_s)
    ]
    below = _descend(working, {entry.srn: f"{entry.srn} expired" for entry in hit})
    return sorted(hit + below, key=lambda entry: entry.srn)


def observe(
    working: WorkingSet,
    source: Srn,
    grains: Mapping[str, Data],
    *,
    key_of: Callable[[RegistryScope], bytes],
    spare: Collection[Srn] = (),
) -> list[RegistryEntry]:
    """Compare a source's grains with what was recorded when resources were derived from it.

    Args:
        working: the entries.
        source: the source.
        grains: its grains now.
        key_of: returns the key of a scope's fingerprints.
        spare: entries that are being registered with these grains.

    Returns:
        What was marked, sorted by SRN.
    """

    def compared(noted: SourceRecord) -> fingerprint.GrainsComparison:
        return fingerprint.compare(
            grains, watch=noted.watch, noted=noted.watched, key=key_of(noted.scope), source=source
        )

    # Thousands of resources may be derived from one source, and nearly always nothing has changed.
    comparisons = {noted: compared(noted) for noted in working.noted(source)}
    if all(
        comparison.watched == noted.watched and not comparison.changed
        for noted, comparison in comparisons.items()
    ):
        return []
    hit: list[RegistryEntry] = []
    for entry in working.derived_from((source,)):
        if not entry.active or entry.srn in spare:
            continue
        seen = comparisons.get(entry.noted) or compared(entry.noted)
        if seen.changed:
            hit.append(_mark(working, entry, f"{source} changed its {', '.join(seen.changed)}"))
        elif seen.watched != entry.watched:
            working.put(msgspec.structs.replace(entry, watched=seen.watched))
    below = _descend(working, {entry.srn: _no_longer(entry.srn) for entry in hit}, spare=spare)
    return sorted(hit + below, key=lambda entry: entry.srn)


def _descend(
    working: WorkingSet, reasons: Mapping[Srn, str], *, spare: Collection[Srn] = ()
) -> list[RegistryEntry]:
    hit: list[RegistryEntry] = []
    visited: set[Srn] = set(spare)
    while reasons:
        below = [entry for entry in working.derived_from(reasons) if entry.srn not in visited]
        visited.update(entry.srn for entry in below)
        # An orphaned resource may still exist; without its source it does not.
        hit += [
            _mark(working, entry, _reason_for(entry, reasons))
            for entry in below
            if entry.active or entry.orphaned
        ]
        reasons = {entry.srn: _no_longer(entry.srn) for entry in below}
    return sorted(hit, key=lambda entry: entry.srn)


def _reason_for(entry: RegistryEntry, reasons: Mapping[Srn, str]) -> str:
    return reasons[entry.source] if entry.source is not None else ""


def _no_longer(srn: Srn) -> str:
    return f"{srn} was invalidated"


def _mark(working: WorkingSet, entry: RegistryEntry, reason: str, *, orphaned: bool = False) -> RegistryEntry:
    marked = msgspec.structs.replace(entry, active=False, orphaned=orphaned, reason=reason)
    working.put(marked)
    return marked
