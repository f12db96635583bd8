"""The entries of enforced states by what a person calls a state: its ID, its name or its tag.

One word means one state, which may have an entry on each of several targets, and former ones beside each.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.chunk import LISTENER_FUNCTION, LISTENER_PREFIX
from ensue.core.model.near_names import near_question
from ensue.store.registry.enforced_views import shown_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey
    from ensue.store.registry.enforced_views import ShownState

_SHORT_DIGITS: Final = 10
"""How many digits of a digest stand for the tag of an entry; a project has far fewer than 2**20 entries."""


class ForgottenStates(msgspec.Struct, frozen=True, kw_only=True):
    """What was forgotten.

    Args:
        entries: the removed entries, secrets masked.
        unknown: what may have been meant by the words that name none; if there are any, nothing is removed.
        several: the entries of each word that names several states, each after a word that names it alone;
            if there are any, nothing is removed.
    """

    entries: Sequence[ShownState] = ()
    unknown: dict[str, str] = {}
    several: dict[str, dict[str, ShownState]] = {}


class NamedStates:
    """Entries by name; that of a listener has the words of the state that listens, too.

    Args:
        rows: the entries, secrets masked.
        taken: words that name other states, which have no entry yet.
    """

    def __init__(self, rows: Iterable[EnforcedRow], taken: Collection[str] = ()) -> None:
        self._taken = taken
        self._by_word: dict[str, list[EnforcedRow]] = {}
        for row in rows:
            for word in _words(row):
                self._by_word.setdefault(word, []).append(row)

    def of(self, word: str) -> Sequence[EnforcedRow]:
        """Return the entries that a word names."""
        return self._by_word.get(word, ())

    def hint(self, word: str) -> str:
        """Return what may have been meant by a word that names none."""
        return near_question(word, self._by_word) or "`ensue show enforced` lists all"

    def several(self, word: str) -> dict[str, ShownState]:
        """Return the entries of a word that names several states, by a word for each; else none."""
        rows = self.of(word)
        if _are_of_one_state(rows):
            return {}
        return {self.exact(row, {row.key}): shown_state(row) for row in rows}

    def exact(self, row: EnforcedRow, among: Collection[EntryKey]) -> str:
        """Return a word that names the state of an entry alone, and no entry of it but certain others.

        It can be typed: it has no line end and no other control character.

        Args:
            row: the entry.
            among: the entries that the word may name.
        """
        words = _words(row)
        exact = (
            word
            for word in words
            if word.isprintable()
            and word not in self._taken
            and _are_of_one_state(self.of(word))
            and all(named.key in among for named in self.of(word))
        )
        return next(exact, words[-1])


def _words(row: EnforcedRow) -> list[str]:
    """Return the words that name an entry; the last two name no other one, the last can be typed."""
    tag = f"{row.scope}/{row.tag}" if row.scope else row.tag
    prefix = LISTENER_PREFIX if row.entry.function == LISTENER_FUNCTION else ""
    ids = [id_.removeprefix(prefix) for id_ in (row.declared_id, row.entry.id)]
    whole = f"{row.target} {tag}"
    words = list(dict.fromkeys((*ids, row.entry.id, row.entry.name, row.tag, tag, whole)))
    if row.environment:
        words += [f"{word} {row.environment}" for word in words]
    return [*words, f"@{hashlib.sha256(words[-1].encode()).hexdigest()[:_SHORT_DIGITS]}"]


def _are_of_one_state(rows: Sequence[EnforcedRow]) -> bool:
    declarations = {_declaration(row) for row in rows}
    targets = [row.target for row in rows if not row.entry.is_former]
    return len(declarations) < 2 and len({*targets}) == len(targets)  # noqa: PLR2004 - one state


def _declaration(row: EnforcedRow) -> tuple[str, ...]:
    entry = row.entry
    return entry.module, entry.function, row.declared_id, entry.sls, row.environment
