"""The things that states have made absent, and that no later state has made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.store.registry.superseded import is_absence, last_things_of, removing, things_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.returns import Return
    from ensue.store.registry.enforced_form import EnforcedRow


class RemovedThings:
    """What is absent, according to what states have enforced.

    Args:
        rows: the enforced states.
        removed_now: what this run removes, each after its target.
    """

    def __init__(self, rows: Iterable[EnforcedRow], removed_now: Collection[tuple[str, str]]) -> None:
        absences = {row.key: row for row in rows if is_absence(row.entry)}
        self._absences = absences
        self._last = {(row.target, thing) for row in absences.values() for thing in last_things_of(row.entry)}
        self._removed_now = removed_now

    def cover(self, row: EnforcedRow) -> bool:
        """Return whether everything that a state made is absent, or below a path that is."""
        if is_absence(row.entry):
            return True
        absence = None if row.superseded_by is None else self._absences.get(row.superseded_by)
        removed = set(things_of(absence.entry)) if absence is not None else set[str]()
        return all(self._is_absent(row.target, thing, removed) for thing in things_of(row.entry))

    def _is_absent(self, target: str, thing: str, removed: Collection[str]) -> bool:
        return any(
            place in removed or (target, place) in self._last or (target, place) in self._removed_now
            for place in removing(thing)
        )


def removed_by(made_by_states: Iterable[tuple[Return, MadeByState]]) -> set[tuple[str, str]]:
    """Return what the states of a run make absent, or in a plan would, each thing after its target.

    Args:
        made_by_states: the returns of the run, each with what its state makes.
    """
    return {
        (state_return.target, thing)
        for state_return, made in made_by_states
        if state_return.result is not False and not state_return.skipped
        for thing in (*(made.things if made.is_absence else ()), *made.removed)
    }
