"""Which state enforced something last, of all that are about the same thing.

A state that is enforced supersedes the earlier entries of others about the same thing. One that makes a path
absent also supersedes those of everything below it, and one that makes a path the absence of what is above
it. So an entry that nothing supersedes is the last one about its thing; of several things, it is the last one
about those that have not passed on. What a state was about and is about
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


def last_things_of(entry: EnforcedEntry) -> tuple[str, ...]:
    """Return the things of an entry that no entry enforced later is about."""
    if entry.superseded_by is None:
        return things_of(entry)
    # An earlier version did not record which of them have passed on.
    return tuple(thing for thing in things_of(entry) if entry.passed_on and thing not in entry.passed_on)


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
    entries = (row.entry for row in rows if row.target == target)
    made = {thing for entry in entries if not is_absence(entry) for thing in last_things_of(entry)}
    return sum(all((target, place) not in removed for place in removing(thing)) for thing in made)


def left_behind(row: EnforcedRow, things: Collection[str], arguments: int | None) -> list[EnforcedRow]:
    """Return the entries of what a state was about last and is about no more: one for each thing.

    Args:
        row: the entry of the state.
        things: what the state is about now; none if it makes nothing.
        arguments: the fingerprint of its arguments now.
    """
    entry = row.entry
    if not things or is_absence(entry):
        return []
    gone = [thing for thing in last_things_of(entry) if thing not in things]
    if entry.things is None or entry.arguments == arguments:
        # An earlier version did not record where a thing is.
        gone = [thing for thing in gone if not any(now.startswith(f"{thing} (") for now in things)]
    return [_former(row, thing) for thing in gone]


def of_thing(row: EnforcedRow, thing: str) -> EnforcedRow:
    """Return an entry as that of one of its things, by the name of the thing."""
    entry = row.entry
    name = entry.name if entry.things is None else thing.removeprefix(f"{entry.module}:")
    return msgspec.structs.replace(row, entry=msgspec.structs.replace(entry, name=name, things=(thing,)))


def _former(row: EnforcedRow, thing: str) -> EnforcedRow:
    """Return the entry of a thing that a state was about; it has no value."""
    entry = msgspec.structs.replace(
        of_thing(row, thing).entry, sealed=None, superseded_by=None, is_former=True, passed_on=()
    )
    tag = tag_of(TagWords(entry.module, entry.id, entry.name, entry.function))
    if tag == row.tag:  # The thing has the name of the state, which has other things now.
        tag = tag_of(TagWords(entry.module, entry.id, f"{entry.name} (former)", entry.function))
    return msgspec.structs.replace(row, tag=tag, entry=entry)


def _without(row: EnforcedRow, removed: str, by: EnforcedRow) -> EnforcedRow:
    """Return an entry once another state has removed a thing, and what is below it if it is a path."""
    things = tuple(thing for thing in things_of(row.entry) if removed not in removing(thing))
    if things:
        return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, things=things))
    absent = msgspec.structs.replace(row.entry, is_absence=True)
    return msgspec.structs.replace(row, entry=absent).superseded(by.key)


class LastEnforced:
    """The entries of a project by what they are about.

    Args:
        rows: the entries.
    """

    def __init__(self, rows: Iterable[EnforcedRow]) -> None:
        self._targets: dict[str, _OfTarget] = {}
        for row in rows:
            self._of(row).add(row)

    def enforce(self, row: EnforcedRow, removed: Collection[str] = ()) -> Iterator[EnforcedRow]:
        """Take a row in; yield it, and before it those that it supersedes or leaves behind, as they are now.

        Args:
            row: a row that has just been enforced.
            removed: the things that its state has removed beside.
        """
        of_target = self._of(row)
        before = of_target.take_out(row)
        now = row.entry
        for former in () if before is None else left_behind(before, things_of(now), now.arguments):
            if not of_target.is_last(former):
                yield from self._superseding(former)
        yield from self._superseding(row)
        for thing in removed:
            for other in of_target.about(thing):
                if other.key != row.key:
                    without = _without(other, thing, row)
                    of_target.take_out(other)
                    of_target.add(without)
                    yield without

    def _superseding(self, row: EnforcedRow) -> Iterator[EnforcedRow]:
        of_target, key = self._of(row), row.key
        for other, things in of_target.others(row):
            last = set(last_things_of(other.entry))
            if other.superseded_by != key or not last.isdisjoint(things):
                passed_on = tuple(
                    thing for thing in things_of(other.entry) if thing in things or thing not in last
                )
                entry = msgspec.structs.replace(other.entry, passed_on=passed_on)
                superseded = msgspec.structs.replace(other, entry=entry).superseded(key)
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

    def others(self, row: EnforcedRow) -> list[tuple[EnforcedRow, set[str]]]:
        """Return the rows of other states that a row supersedes, each with the things that pass on to it."""
        passing: dict[EntryKey, tuple[EnforcedRow, set[str]]] = {}
        for other, thing in self._superseded(row):
            passing.setdefault(other.key, (other, set()))[1].add(thing)
        return [*passing.values()]

    def _superseded(self, row: EnforcedRow) -> Iterator[tuple[EnforcedRow, str]]:
        key = row.key
        for thing in things_of(row.entry):
            rows = self._rows.get(thing, {})
            if len(rows) > 1 or (rows and key not in rows):
                yield from ((other, thing) for known, other in rows.items() if known != key)
            if thing.startswith("/"):
                yield from self._below(thing) if is_absence(row.entry) else self._absences_above(thing)

    def about(self, thing: str) -> list[EnforcedRow]:
        """Return the rows about a thing, and, of a path, about what is below it."""
        below = self._below(thing) if thing.startswith("/") else ()
        rows = (*self._rows.get(thing, {}).values(), *(row for row, _ in below))
        return [*{row.key: row for row in rows}.values()]

    def _absences_above(self, path: str) -> Iterator[tuple[EnforcedRow, str]]:
        if not self._absent_paths:
            return
        for folder in map(str, PurePosixPath(path).parents):
            if folder in self._absent_paths:
                yield from (
                    (other, folder) for other in self._rows[folder].values() if is_absence(other.entry)
                )

    def _below(self, folder: str) -> Iterator[tuple[EnforcedRow, str]]:
        self._paths.sort()
        for path in self._paths[bisect_left(self._paths, f"{folder}/") :]:
            if not path.startswith(f"{folder}/"):
                return
            yield from ((other, path) for other in self._rows[path].values())
