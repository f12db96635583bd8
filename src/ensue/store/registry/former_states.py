"""A state that has another ID or another name than when it ran: which entry is its own, if any.

A state of the top scope with the function, the name and the target of exactly one entry of that scope that
is declared no more is that one under another ID. With another name it is another state: its value belongs
to what ran.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.enforced import FormerState
from ensue.core.model.state_tag import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ensue.core.model.state_identity import StateIdentity
    from ensue.core.model.state_tag import TagWords
    from ensue.store.registry.enforced_form import EnforcedRow


def like(
    identity: StateIdentity,
    named: Callable[[str], list[EnforcedRow]],
    has_left: Callable[[EnforcedRow], bool],
) -> list[EnforcedRow]:
    """Return the entries of the function of a state, and of its ID or its name, that are declared no more.

    Args:
        identity: the state.
        named: returns the entries of the top scope of its target that have a word as ID or name.
        has_left: whether an entry is declared no more.
    """
    words = words_of(identity.tag)
    rows = {row.tag: row for word in (words.id, words.name) for row in named(word)}
    return [row for row in rows.values() if row.is_readable and _is_like(row, words) and has_left(row)]


def _is_like(row: EnforcedRow, words: TagWords) -> bool:
    entry = row.entry
    if (entry.module, entry.function) != (words.module, words.function):
        return False
    return entry.name == words.name or entry.id == words.id


def moved_row(formers: Iterable[EnforcedRow], identity: StateIdentity) -> EnforcedRow | None:
    """Return the entry of a state under its former ID; None if there is none, or more than one.

    Args:
        formers: the entries like it that are declared no more.
        identity: the state.
    """
    name = words_of(identity.tag).name
    same = [row for row in formers if row.entry.name == name]
    return same[0] if len(same) == 1 else None


def former_state(formers: Iterable[EnforcedRow], identity: StateIdentity) -> FormerState | None:
    """Return what ran last under the ID of a state, or else under its name; None if nothing did.

    Args:
        formers: the entries like it that are declared no more.
        identity: the state.
    """
    words = words_of(identity.tag)
    newest = sorted(formers, key=lambda row: (row.entry.id == words.id, row.run_id))
    if not newest:
        return None
    row = newest[-1]
    is_renamed = row.entry.id != words.id
    return FormerState(id=row.entry.id, name=row.entry.name, run_id=row.run_id, is_renamed=is_renamed)
