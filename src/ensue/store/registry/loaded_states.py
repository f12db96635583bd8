"""Enforced states in memory, as the file had them when it was read; a lookup does no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.state_identity import shape_of
from ensue.store.registry.enforced_form import (
    OWES_NOTHING,
    EntryKey,
    decode_entry,
    differing,
    merge,
    row_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ensue.core.model.state_identity import ScopeShape
    from ensue.store.registry.enforced_form import EnforcedRow, Kept, Place, States


class LoadedStates:
    """The entries of a file.

    Args:
        states: the entries; after a change to them, call `forget_words`.
    """

    def __init__(self, states: States) -> None:
        self.states = states
        self._by_word: dict[tuple[Place, str], dict[str, list[str]]] = {}
        self._by_shape: dict[Place, dict[tuple[ScopeShape, str], list[tuple[str, str]]]] = {}

    def copy(self) -> LoadedStates:
        """Return what is loaded now; later entries of the file do not change it."""
        return LoadedStates(
            {
                place: {scope: dict(entries) for scope, entries in scopes.items()}
                for place, scopes in self.states.items()
            }
        )

    def forget_words(self) -> None:
        """Look words up anew: entries were added or replaced."""
        self._by_word = {}
        self._by_shape = {}

    def add(self, later: States) -> None:
        """Add or replace entries."""
        merge(self.states, differing(later, self.states))
        self.forget_words()

    def one(self, key: EntryKey) -> EnforcedRow | None:
        """Return a row; None when there is none."""
        kept = self.states.get(key.place, {}).get(key.scope, {}).get(key.tag)
        return None if kept is None else row_of(key.place, key.scope, key.tag, kept)

    def elsewhere(self, key: EntryKey) -> list[EnforcedRow]:
        """Return the rows of a state in other environments."""
        return [
            row_of(place, key.scope, key.tag, kept)
            for place, scopes in self.states.items()
            if place[0] == key.target and place != key.place
            if (kept := scopes.get(key.scope, {}).get(key.tag)) is not None
        ]

    def named(self, place: Place, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows of a scope that have a word as ID or name, by tag."""
        states = self.states.get(place, {}).get(scope, {})
        tags = self._by_word.get((place, scope))
        if tags is None:
            tags = self._by_word[place, scope] = _tags_by_word(states)
        return [row_of(place, scope, tag, states[tag]) for tag in sorted(tags.get(word, ()))]

    def alike(self, place: Place, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows that have a word as ID or name, of all scopes that differ in their callers only."""
        scopes = self.states.get(place, {})
        tags = self._by_shape.get(place)
        if tags is None:
            tags = self._by_shape[place] = _tags_by_shape(scopes)
        return [
            row_of(place, other, tag, scopes[other][tag])
            for other, tag in sorted(tags.get((shape_of(scope), word), ()))
        ]

    def owing(self) -> list[EnforcedRow]:
        """Return the rows of the states that owe a reaction."""
        rows = (
            row_of(place, scope, tag, kept)
            for place, scopes in self.states.items()
            for scope, states in scopes.items()
            for tag, kept in states.items()
            if not kept[1].endswith(OWES_NOTHING)
        )
        return [row for row in rows if row.entry.owed_since]

    def on(self, is_chosen: Callable[[str], bool]) -> list[EnforcedRow]:
        """Return the rows of the targets that are chosen by their names."""
        return LoadedStates(
            {place: scopes for place, scopes in self.states.items() if is_chosen(place[0])}
        ).all()

    def all(self, besides: Collection[EntryKey] = ()) -> list[EnforcedRow]:
        """Return every row but some, by target, environment, scope and tag."""
        return [
            row_of(place, scope, tag, states[tag])
            for place, scopes in sorted(self.states.items())
            for scope, states in sorted(scopes.items())
            for tag in sorted(
                tag for tag in states if EntryKey(place[0], scope, tag, place[1]) not in besides
            )
        ]


def _tags_by_shape(
    scopes: Mapping[str, Mapping[str, Kept]],
) -> dict[tuple[ScopeShape, str], list[tuple[str, str]]]:
    places: dict[tuple[ScopeShape, str], list[tuple[str, str]]] = {}
    for scope, states in scopes.items():
        shape = shape_of(scope)
        for word, tags in _tags_by_word(states).items():
            places.setdefault((shape, word), []).extend((scope, tag) for tag in tags)
    return places


def _tags_by_word(states: Mapping[str, Kept]) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for tag, kept in states.items():
        entry = decode_entry(kept[1])
        for word in {entry.id, entry.name}:
            words.setdefault(word, []).append(tag)
    return words
