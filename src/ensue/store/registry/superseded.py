"""Which state enforced something last, of all that are about the same thing.

A state that is enforced supersedes the earlier entries of others about the same thing. One that makes a path
absent also supersedes those of everything below it, and one that makes a path the absence of what is above
it. So an entry that nothing supersedes is the last one about its thing. What a state was about and is about
no more, because its name is bound to another value or its list is shorter, has an entry of its own from then
on (`left_behind`).
"""

from __future__ import annotations

from bisect import bisect_left
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.data import is_mapping
from ensue.core.model.made_thing import thing_of_name
from ensue.core.model.state_tag import TagWords, tag_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow, EntryKey

_EXISTS: Final = b"exists"
"""Without this key, a new state needs no decoding."""


def things_of(entry: EnforcedEntry) -> tuple[str, ...]:
    """Return what an entry is about; of an entry that does not say so, what its name names."""
    if entry.things is not None:
        return entry.things
    return (thing_of_name(entry.module, entry.name),)


def is_absence(entry: EnforcedEntry) -> bool:
    """Return whether a function made something absent, or the new state says that it does not exist."""
    if entry.is_absence:
        return True
    if _EXISTS not in entry.shown:
        return False
    new_state = msgspec.msgpack.decode(entry.shown)
    return is_mapping(new_state) and new_state.get("exists") is False


def removing(thing: str) -> tuple[str, ...]:
    """Return the things with which a thing is removed: itself, and, of a path, what is above it."""
    return (thing, *map(str, PurePosixPath(thing).parents)) if thing.startswith("/") else (thing,)


def things_left(
    rows: Iterable[EnforcedRow], target: str, removed: Collection[tuple[str, str]] = frozenset()
) -> int:
    """Return how many things states made on a target and none has made absent since.

    Args:
        rows: the entries of a project.
        target: the target.
        removed: what a run makes absent, or in a plan would, each after its target.
    """
    last = (row.entry for row in rows if row.target == target and row.superseded_by is None)
    made = {thing for entry in last if not is_absence(entry) for thing in things_of(entry)}
    return sum(all((target, place) not in removed for place in removing(thing)) for thing in made)


def left_behind(row: EnforcedRow, things: Collection[str], arguments: int | None) -> list[EnforcedRow]:
    """Return the entries of what a state was about last and is about no more: one for each thing.

    Args:
        row: the entry of the state.
        things: what the state is about now; none if it makes nothing.
        arguments: the fingerprint of its arguments now.
    """
    entry = row.entry
    if not things or entry.superseded_by is not None or is_absence(entry):
        return []
    gone = [thing for thing in things_of(entry) if thing not in things]
    if entry.things is None or entry.arguments == arguments:
        # An earlier version did not record where a thing is.
        gone = [thing for thing in gone if not any(now.startswith(f"{thing} (") for now in things)]
    return [_former(row, thing) for thing in gone]


def _former(row: EnforcedRow, thing: str) -> EnforcedRow:
    """Return the entry of a thing that a state was about, by the name of the thing; it has no value."""
    entry = row.entry
    name = entry.name if entry.things is None else thing.removeprefix(f"{entry.module}:")
    former = msgspec.structs.replace(entry, name=name, things=(thing,), sealed=None, is_former=True)
    tag = tag_of(TagWords(entry.module, entry.id, name, entry.function))
    if tag == row.tag:  # The thing has the name of the state, which has other things now.
        tag = tag_of(TagWords(entry.module, entry.id, f"{name} (former)", entry.function))
    return msgspec.structs.replace(row, tag=tag, entry=former)


class LastEnforced:
    """The entries of a project by what they are about.

    Args:
        rows: the entries.
    """

    def __init__(self, rows: Iterable[EnforcedRow]) -> None:
        self._targets: dict[str, _OfTarget] = {}
        for row in rows:
            self._of(row).add(row)

    def enforce(self, row: EnforcedRow) -> Iterator[EnforcedRow]:
        """Take a row in; yield it, and before it those that it supersedes or leaves behind, as they are now.

        Args:
            row: a row that has just been enforced.
        """
        of_target = self._of(row)
        before = of_target.take_out(row)
        now = row.entry
        for former in () if before is None else left_behind(before, things_of(now), now.arguments):
            if not of_target.is_last(former):
                yield from self._superseding(former)
        yield from self._superseding(row)

    def _superseding(self, row: EnforcedRow) -> Iterator[EnforcedRow]:
        of_target, key = self._of(row), row.key
        for other in list(of_target.others(row)):
            if other.superseded_by != key:
                superseded = other.superseded(key)
                of_target.add(superseded)
                yield superseded
        of_target.add(row)
        yield row

    def _of(self, row: EnforcedRow) -> _OfTarget:
        of_target = self._targets.get(row.target)
        if of_target is None:
            of_target = self._targets[row.target] = _OfTarget()
        return of_target


class _OfTarget:
    """The entries of one target, by what they are about."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[EntryKey, EnforcedRow]] = {}
        self._by_state: dict[EntryKey, EnforcedRow] = {}
        self._paths: list[str] = []
        self._absent_paths: set[str] = set()
        """Paths that a state has made absent at some time."""

    def add(self, row: EnforcedRow) -> None:
        key = row.key
        self._by_state[key] = row
        for thing in things_of(row.entry):
            rows = self._rows.get(thing)
            if rows is None:
                rows = self._rows[thing] = {}
                if thing.startswith("/"):
                    self._paths.append(thing)
            rows[key] = row
            if thing.startswith("/") and is_absence(row.entry):
                self._absent_paths.add(thing)

    def take_out(self, row: EnforcedRow) -> EnforcedRow | None:
        """Remove the entry that the state of a row has so far, and return it; None if it has none."""
        key = row.key
        before = self._by_state.pop(key, None)
        for thing in () if before is None else things_of(before.entry):
            del self._rows[thing][key]
        return before

    def is_last(self, row: EnforcedRow) -> bool:
        """Return whether the state of a row has an entry that nothing supersedes."""
        known = self._by_state.get(row.key)
        return known is not None and known.entry.superseded_by is None

    def others(self, row: EnforcedRow) -> Iterator[EnforcedRow]:
        """Yield the rows of other states that a row supersedes."""
        key = row.key
        for thing in things_of(row.entry):
            rows = self._rows.get(thing, {})
            if len(rows) > 1 or (rows and key not in rows):
                yield from (other for known, other in rows.items() if known != key)
            if thing.startswith("/"):
                yield from self._below(thing) if is_absence(row.entry) else self._absences_above(thing)

    def _absences_above(self, path: str) -> Iterator[EnforcedRow]:
        if not self._absent_paths:
            return
        for folder in map(str, PurePosixPath(path).parents):
            if folder in self._absent_paths:
                yield from (other for other in self._rows[folder].values() if is_absence(other.entry))

    def _below(self, folder: str) -> Iterator[EnforcedRow]:
        self._paths.sort()
        for path in self._paths[bisect_left(self._paths, f"{folder}/") :]:
            if not path.startswith(f"{folder}/"):
                return
            yield from self._rows[path].values()
