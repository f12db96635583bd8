"""The entries of enforced states by what a person calls a state: its ID, its name or its tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.chunk import LISTENER_FUNCTION, LISTENER_PREFIX
from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.store.registry.enforced_form import EnforcedRow


class NamedStates:
    """Entries by name; that of a listener has the words of the state that listens, too.

    Args:
        rows: the entries, secrets masked.
    """

    def __init__(self, rows: Iterable[EnforcedRow]) -> None:
        self._by_word: dict[str, list[EnforcedRow]] = {}
        for row in rows:
            words = [row.tag, row.entry.id, row.declared_id, row.entry.name]
            if row.entry.function == LISTENER_FUNCTION:
                words.append(row.entry.id.removeprefix(LISTENER_PREFIX))
            for word in dict.fromkeys(words):
                self._by_word.setdefault(word, []).append(row)

    def of(self, word: str) -> Sequence[EnforcedRow]:
        """Return the entries that a word names."""
        return self._by_word.get(word, ())

    def hint(self, word: str) -> str:
        """Return what may have been meant by a word that names none."""
        return near_question(word, self._by_word) or "`ensue show enforced` lists all"
