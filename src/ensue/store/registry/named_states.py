"""The entries of enforced states by what a person calls a state: its ID, its name or its tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.store.registry.enforced_form import EnforcedRow


class NamedStates:
    """Entries by name.

    Args:
        rows: the entries, secrets masked.
    """

    def __init__(self, rows: Iterable[EnforcedRow]) -> None:
        self._by_word: dict[str, list[EnforcedRow]] = {}
        for row in rows:
            for word in dict.fromkeys(_words(row)):
                self._by_word.setdefault(word, []).append(row)

    def of(self, word: str) -> Sequence[EnforcedRow]:
        """Return the entries that a word names."""
        return self._by_word.get(word, ())

    def hint(self, word: str) -> str:
        """Return what may have been meant by a word that names none."""
        return near_question(word, self._by_word) or "`ensue show enforced` lists all"


def _words(row: EnforcedRow) -> Iterator[str]:
    entry = row.entry
    yield from (row.tag, entry.id, entry.name)
    if entry.by is not None and entry.by.is_fanned_out:
        # A state with a `tgt` has the id of its target before its own ID.
        yield entry.id.removeprefix(f"{row.target.partition(':')[2]} ")
