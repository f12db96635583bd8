"""A state that has another ID or another name than when it ran: which entry is its own, if any.

A state with the function, the name and the target of exactly one entry that is declared no more is that one
under another ID. A state of a block is also that one if the states that lead to the block are, each of them.
With another name a state is another one: its value belongs to what ran. An owed reaction belongs to the
declaration instead: it is also that of a state with the module and the ID, whatever its name and function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ensue.core.model.enforced import FormerState
from ensue.core.model.state_identity import callers_of
from ensue.core.model.state_tag import TagWords, words_of, words_of_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.state_identity import StateIdentity
    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey


class JudgedStates(Protocol):
    """What a run declares, as far as the states of earlier runs depend on it."""

    def has_left(self, row: EnforcedRow, scope: str) -> bool:
        """Return whether a state is declared no more, as seen from a scope; false while that is not known."""
        ...

    def has_left_reaction(self, row: EnforcedRow, scope: str, masked: Callable[[str], str]) -> bool:
        """Return that of a state that owes a reaction.

        Args:
            row: its entry.
            scope: the scope that it is seen from.
            masked: returns a tag as entries have it.
        """
        ...

    def reaction_by(self, row: EnforcedRow, masked: Callable[[str], str]) -> EnforcedBy | None:
        """Return the declaration of a state that owes a reaction; None if the run does not have it."""
        ...


def like(
    identity: StateIdentity,
    alike: Callable[[str, str], list[EnforcedRow]],
    has_left: Callable[[EnforcedRow, str], bool],
) -> list[EnforcedRow]:
    """Return the entries of the function of a state, and of its ID or its name, that are declared no more.

    Args:
        identity: the state.
        alike: returns the entries of its target and environment that have a word as ID or name, in a scope or
            in another one that differs in its callers only.
        has_left: whether an entry is declared no more, as seen from a scope.
    """
    words, scope = words_of(identity.tag), identity.scope
    rows = {(row.scope, row.tag): row for word in (words.id, words.name) for row in alike(scope, word)}
    return [row for row in rows.values() if row.is_readable and _is_like(row, words) and has_left(row, scope)]


def _is_like(row: EnforcedRow, words: TagWords) -> bool:
    entry = row.entry
    then = TagWords(entry.module, entry.id, entry.name, entry.function)
    return entry.function == words.function and _is_same(then, words)


def _is_same(then: TagWords, now: TagWords) -> bool:
    """Return whether words may name one declaration: it has its ID still, or its name and function."""
    has_both = (then.function, then.name) == (now.function, now.name)
    return then.module == now.module and (then.id == now.id or has_both)


def may_make_up(key: EntryKey, owing: EntryKey) -> bool:
    """Return whether a state makes up for the reaction of another one, if that is declared no more."""
    callers, former = callers_of(key.scope), callers_of(owing.scope)
    return (
        (key.place, [caller.rest for caller in callers]) == (owing.place, [caller.rest for caller in former])
        and _is_same(words_of_state(owing.tag), words_of_state(key.tag))
        and all(
            _is_same(words_of(then.tag), words_of(now.tag)) for then, now in zip(former, callers, strict=True)
        )
    )


def moved_row(formers: Iterable[EnforcedRow], identity: StateIdentity) -> EnforcedRow | None:
    """Return the entry of a state under its former ID; None if there is none, or more than one.

    Args:
        formers: the entries like it that are declared no more.
        identity: the state.
    """
    name, callers = words_of(identity.tag).name, _without_ids(identity.scope)
    same = [row for row in formers if row.entry.name == name and _without_ids(row.scope) == callers]
    return same[0] if len(same) == 1 else None


def _without_ids(scope: str) -> list[TagWords]:
    """Return the callers of a scope without their IDs."""
    return [words_of(caller.tag)._replace(id="") for caller in callers_of(scope)]


def former_state(formers: Iterable[EnforcedRow], identity: StateIdentity) -> FormerState | None:
    """Return what ran last under the ID of a state, or else under its name; None if nothing did.

    Args:
        formers: the entries like it that are declared no more.
        identity: the state.
    """
    words, scope = words_of(identity.tag), identity.scope
    newest = sorted(formers, key=lambda row: (row.scope == scope, row.entry.id == words.id, row.run_id))
    if not newest:
        return None
    row = newest[-1]
    if row.scope != scope:
        pairs = zip(callers_of(row.scope), callers_of(scope), strict=True)
        then, now = next((words_of(then.tag), words_of(now.tag)) for then, now in pairs if then != now)
        return FormerState(
            word="caller", value=then.name if then.id == now.id else then.id, run_id=row.run_id
        )
    word, value = ("ID", row.entry.id) if row.entry.id != words.id else ("name", row.entry.name)
    return FormerState(word=word, value=value, run_id=row.run_id)
