"""Comparing compiled states: which there are, what they are called with, and in which order they run.

Requisites are compared by their effect, the order, because Salt records them at one end and ensue at both.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any

from ensue.salt.compare.differences import DifferenceKind, TreeDifference
from ensue.salt.compare.intended import OF_LONGER_FUNCTIONS, is_longer, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ensue.salt.compare.sides import CompiledState

ABSENT = "(not given)"
"""The value of an argument that one of the two does not have."""


def low_differences(salt: Sequence[CompiledState], ours: Sequence[CompiledState]) -> list[TreeDifference]:
    """Return the differences between the compiled states of both programs, given in their order."""
    longer = {
        (state.id, state.name, shortened(state.function)) for state in ours if is_longer(state.function)
    }
    differences = [
        *_only_in(salt, ours, DifferenceKind.ONLY_IN_SALT, longer),
        *_only_in(ours, salt, DifferenceKind.ONLY_HERE, longer),
    ]
    of_salt, of_ours = _by_tag(salt), _by_tag(ours)
    for tag, theirs in of_salt.items():
        if tag in of_ours:
            differences += _arguments(theirs, of_ours[tag])
    return differences + list(_moved(list(of_salt.values()), list(of_ours)))


def shown_name(state: CompiledState) -> str:
    """Return how a state is named for a reader: its ID, and its name if that differs."""
    return state.id if state.id == state.name else f"{state.id} ({state.name})"


def is_same(first: Any, other: Any) -> bool:
    """Return whether two values are the same; a number and its text are not."""
    return json.dumps(first, sort_keys=True) == json.dumps(other, sort_keys=True)


def _by_tag(states: Sequence[CompiledState]) -> dict[str, CompiledState]:
    return {state.tag: state for state in states}


def _only_in(
    states: Sequence[CompiledState],
    others: Sequence[CompiledState],
    kind: DifferenceKind,
    longer: Collection[tuple[str, str, str]],
) -> Iterator[TreeDifference]:
    known = Counter(other.tag for other in others)
    for state in states:
        if known[state.tag]:
            known[state.tag] -= 1
            continue
        is_cut = (state.id, state.name, shortened(state.function)) in longer
        yield TreeDifference(
            kind=kind,
            what=state.function,
            where=shown_name(state),
            sls=state.sls,
            tag=state.tag,
            meant=OF_LONGER_FUNCTIONS if is_cut else "",
        )


def _arguments(salt: CompiledState, ours: CompiledState) -> Iterator[TreeDifference]:
    for word in {**salt.arguments, **ours.arguments}:
        theirs, own = salt.arguments.get(word, ABSENT), ours.arguments.get(word, ABSENT)
        if theirs is own or is_same(theirs, own):
            continue
        yield TreeDifference(
            kind=DifferenceKind.ARGUMENT,
            what=f"{word} of {salt.function}",
            where=shown_name(salt),
            sls=salt.sls,
            tag=salt.tag,
            salt=theirs,
            ensue=own,
        )


def _moved(salt: list[CompiledState], ours: list[str]) -> Iterator[TreeDifference]:
    """Yield the states that run at another position: the fewest whose removal leaves the same order."""
    place_here = {tag: place for place, tag in enumerate(ours)}
    common = [state for state in salt if state.tag in place_here]
    places = [place_here[state.tag] for state in common]
    staying = set(_longest_rise(places))
    before_here = _befores([tag for tag in ours if tag in {state.tag for state in common}])
    before_there = _befores([state.tag for state in common])
    for index, state in enumerate(common):
        if index not in staying:
            yield TreeDifference(
                kind=DifferenceKind.ORDER,
                what="states run at another position",
                where=shown_name(state),
                sls=state.sls,
                tag=state.tag,
                salt=_after(before_there[state.tag]),
                ensue=_after(before_here[state.tag]),
            )


def _befores(tags: list[str]) -> dict[str, str]:
    return dict(zip(tags, ["", *tags], strict=False))


def _after(tag: str) -> str:
    if not tag:
        return "first"
    module, id_, name, function = [*tag.split("_|-"), "", "", ""][:4]
    return f"after {id_} ({name}, {module}.{function})"


def _longest_rise(numbers: list[int]) -> list[int]:
    """Return the indices of a longest increasing subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, number in enumerate(numbers):
        place = bisect_left(tails, number)
        previous.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [number]
        ends[place : place + 1] = [index]
    rise: list[int] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        rise.append(index)
        index = previous[index]
    return rise
