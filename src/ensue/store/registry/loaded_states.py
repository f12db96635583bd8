"""Enforced states in memory, as the file had them when it was read; a lookup does no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.state_identity import StateIdentity, shape_of
from ensue.store.registry.enforced_form import OWES_NOTHING, decode_entry, differing, merge, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ensue.core.model.state_identity import ScopeShape
    from ensue.store.registry.enforced_form import EnforcedRow, Kept, States


class LoadedStates:
    """The entries of a file.

    Args:
        states: the entries; after a change to them, call `forget_words`.
    """

    def __init__(self, states: States) -> None:
        self.states = states
        self._by_word: dict[tuple[str, str], dict[str, list[str]]] = {}
        self._by_shape: dict[str, dict[tuple[ScopeShape, str], list[tuple[str, str]]]] = {}

    def copy(self) -> LoadedStates:
        """Return what is loaded now; later entries of the file do not change it."""
        return LoadedStates(
            {
                target: {scope: dict(entries) for scope, entries in scopes.items()}
                for target, scopes in self.states.items()
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

    def one(self, target: str, scope: str, tag: str) -> EnforcedRow | None:
        """Return a row; None when there is none."""
        kept = self.states.get(target, {}).get(scope, {}).get(tag)
        return None if kept is None else row_of(target, scope, tag, kept)

    def named(self, target: str, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows of a scope that have a word as ID or name, by tag."""
        states = self.states.get(target, {}).get(scope, {})
        tags = self._by_word.get((target, scope))
        if tags is None:
            tags = self._by_word[target, scope] = _tags_by_word(states)
        return [row_of(target, scope, tag, states[tag]) for tag in sorted(tags.get(word, ()))]

    def alike(self, target: str, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows that have a word as ID or name, of all scopes that differ in their callers only."""
        scopes = self.states.get(target, {})
        tags = self._by_shape.get(target)
        if tags is None:
            tags = self._by_shape[target] = _tags_by_shape(scopes)
        return [
            row_of(target, other, tag, scopes[other][tag])
            for other, tag in sorted(tags.get((shape_of(scope), word), ()))
        ]

    def owing(self) -> list[EnforcedRow]:
        """Return the rows of the states that owe a reaction."""
        rows = (
            row_of(target, scope, tag, kept)
            for target, scopes in self.states.items()
            for scope, states in scopes.items()
            for tag, kept in states.items()
            if not kept[1].endswith(OWES_NOTHING)
        )
        return [row for row in rows if row.entry.owed_since]

    def on(self, is_chosen: Callable[[str], bool]) -> list[EnforcedRow]:
        """Return the rows of the targets that are chosen by their names."""
        return LoadedStates(
            {target: scopes for target, scopes in self.states.items() if is_chosen(target)}
        ).all()

    def all(self, besides: Collection[StateIdentity] = ()) -> list[EnforcedRow]:
        """Return every row but those of some states, by target, scope and tag."""
        return [
            row_of(target, scope, tag, states[tag])
            for target, scopes in sorted(self.states.items())
            for scope, states in sorted(scopes.items())
            for tag in sorted(tag for tag in states if StateIdentity(target, scope, tag) not in besides)
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
