"""Comparing plans: the result of every state, and the kind of its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.salt.compare.differences import DifferenceKind, TreeDifference
from ensue.salt.compare.intended import meant_in_plan
from ensue.salt.compare.low import shown_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ensue.salt.compare.sides import CompiledState, PlannedState

_WORDS: Final = {True: "holds", False: "fails", None: "would change"}
NOT_PLANNED: Final = "has no result"


def plan_differences(
    states: Sequence[CompiledState],
    salt: Mapping[str, PlannedState],
    ours: Mapping[str, PlannedState],
    missing: Collection[str],
) -> list[TreeDifference]:
    """Return what differs between the plans of states that both have compiled.

    Args:
        states: the states, in order.
        salt: Salt's plan by tag.
        ours: ensue's.
        missing: state functions that ensue lacks, whose results are not compared.
    """
    differences: list[TreeDifference] = []
    for state in states:
        if state.function not in missing:
            differences += _of_state(state, salt.get(state.tag), ours.get(state.tag))
    return differences


def _of_state(
    state: CompiledState, salt: PlannedState | None, ours: PlannedState | None
) -> Iterator[TreeDifference]:
    if salt is None and ours is None:
        return
    in_salt, own = _told(salt), _told(ours)
    if in_salt != own:
        yield _difference(
            state, _kind(state, salt, ours), f"{state.function}: {in_salt} in Salt, {own} here", salt, ours
        )
    elif salt is not None and ours is not None and _shape(salt.changes) != _shape(ours.changes):
        what = f"{state.function}: {_shape(salt.changes)} in Salt, {_shape(ours.changes)} here"
        yield _difference(state, DifferenceKind.CHANGES, what, salt, ours)


def _kind(state: CompiledState, salt: PlannedState | None, ours: PlannedState | None) -> DifferenceKind:
    """Return the kind of a difference of results: a consequence if other states kept one from running."""
    if state.has_requisites and (salt is None or ours is None or salt.ran != ours.ran):
        return DifferenceKind.CONSEQUENCE
    return DifferenceKind.RESULT


def _difference(
    state: CompiledState,
    kind: DifferenceKind,
    what: str,
    salt: PlannedState | None,
    ours: PlannedState | None,
) -> TreeDifference:
    return TreeDifference(
        kind=kind,
        what=what,
        where=shown_name(state),
        sls=state.sls,
        tag=state.tag,
        salt=_shown(salt),
        ensue=_shown(ours),
        meant=meant_in_plan(state.function, salt, ours) if kind is not DifferenceKind.CONSEQUENCE else "",
    )


def _told(planned_state: PlannedState | None) -> str:
    return NOT_PLANNED if planned_state is None else _WORDS[planned_state.result]


def _shape(changes: Any) -> str:
    """Return the kind of changes: the keys of a mapping, sorted."""
    if not changes:
        return "no changes"
    return (
        f"changes of {', '.join(sorted(map(str, changes)))}" if is_mapping(changes) else "changes in a text"
    )


def _shown(planned_state: PlannedState | None) -> Any:
    if planned_state is None:
        return None
    return {
        "result": planned_state.result,
        "changes": planned_state.changes,
        "comment": planned_state.comment,
    }
