"""Where in the order of a plan Salt would run the check of a prereq'd chunk.

A check is one more node of Salt's sort, with the chunk's own order, moved forward by the order of
what waits for it: it starts in front of the first chunk whose sort key is larger.

Source: measured in Salt 3008 (the keys: `salt/utils/requisite.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from ensue.graph.transforms.prereq import prerequired

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.growth import Plan
    from ensue.model.chunk import Chunk

SortKey: TypeAlias = tuple[float, float, str]


def check_places(plan: Plan, checked: Sequence[int]) -> list[int]:
    """Return for each checked chunk the place of the chunk in front of which it is checked.

    Args:
        plan: the plan; its chunks stand in their order of execution.
        checked: chunks that have a check.

    Returns:
        Places in the plan, in the order of `checked`.
    """
    if not checked:
        return []
    earliest = _earliest_dependents(plan)
    keys = [_key(chunk, earliest[index]) for index, chunk in enumerate(plan.chunks)]
    climbs = _climbing_keys(keys)
    requirers = _first_requirers(plan)
    places: list[int] = []
    for index in checked:
        first = requirers[index]
        key = _key(plan.chunks[index], plan.chunks[first].order)
        found = bisect_right(climbs, key, key=lambda climb: climb[0])
        places.append(min(first, climbs[found][1] if found < len(climbs) else first))
    return places


def _earliest_dependents(plan: Plan) -> list[float]:
    earliest = [chunk.order for chunk in plan.chunks]
    for chunk in plan.chunks:
        for requisite in chunk.requisites:
            for wanted in requisite.chunks:
                earliest[wanted] = min(earliest[wanted], chunk.order)
    return earliest


def _first_requirers(plan: Plan) -> dict[int, int]:
    first: dict[int, int] = {}
    for index, chunk in enumerate(plan.chunks):
        for wanted in prerequired(chunk):
            first.setdefault(wanted, index)
    return first


def _key(chunk: Chunk, earliest_dependent: float) -> SortKey:
    label = f"{chunk.module}{chunk.name}{chunk.function}"
    return (min(chunk.order, earliest_dependent), chunk.order, label)


def _climbing_keys(keys: Sequence[SortKey]) -> list[tuple[SortKey, int]]:
    """The keys that are larger than all before them: the first key above a bound is one of these."""
    climbs: list[tuple[SortKey, int]] = []
    for place, key in enumerate(keys):
        if not climbs or key > climbs[-1][0]:
            climbs.append((key, place))
    return climbs
