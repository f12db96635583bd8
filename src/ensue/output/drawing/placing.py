"""The places of the boxes and lanes of a deployment within their columns.

The slots of a band are ordered so that few lines cross, and moved towards what they are connected to. Bands
follow one another from top to bottom. Linear in slots and lines, except for sorting.

Source: the order by the mean of the neighbours is that of Sugiyama et al. (1981), sweeping back and forth;
the places are an isotonic regression, which keeps slots as close as possible to the mean of their neighbours.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.output.drawing.columns import ColumnSlot

_SWEEPS: Final = 8
_GAP: Final = 14.0
_Default = TypeVar("_Default", float, None)


def order_band(columns: list[list[ColumnSlot]]) -> None:
    """Order the slots of a band in their columns so that few lines cross.

    Args:
        columns: the slots of each column; the lists are sorted in place.
    """
    places: dict[ColumnSlot, float] = {}
    for column in columns:
        _note(column, places)
    best, fewest = [column.copy() for column in columns], _crossings(columns, places)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        _sweep(columns, places, to_the_right=sweep % 2 == 1)
        count = _crossings(columns, places)
        if count < fewest:
            best, fewest = [column.copy() for column in columns], count
    columns[:] = best


def _sweep(
    columns: Sequence[list[ColumnSlot]], places: dict[ColumnSlot, float], *, to_the_right: bool
) -> None:
    """Order each column by the places of the neighbours of its slots in the column before."""
    for column in columns if to_the_right else reversed(columns):
        positions = {
            slot: _mean([places[toward] for toward in slot.towards(right=not to_the_right)], places[slot])
            for slot in column
        }
        column.sort(key=positions.__getitem__)
        _note(column, places)


def _crossings(columns: Iterable[Iterable[ColumnSlot]], places: Mapping[ColumnSlot, float]) -> int:
    """Return how many pairs of lines cross between the columns."""
    count = 0
    for column in columns:
        ends: list[float] = []
        for slot in column:
            mine = sorted(places[neighbour] for neighbour in slot.after)
            count += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return count


def place_band(columns: Sequence[list[ColumnSlot]], top: float) -> float:
    """Place every slot of a band, and return where the band ends.

    Args:
        columns: the ordered slots of each column.
        top: where the band begins.
    """
    used = [column for column in columns if column]
    for column in reversed(used):
        _place(column, [_mean([neighbour.y for neighbour in slot.after], None) for slot in column])
    for column in used:
        _place(
            column,
            [_mean([neighbour.y for neighbour in (*slot.before, *slot.after)], slot.y) for slot in column],
        )
    for column in reversed(used):
        _place(column, [_mean([neighbour.y for neighbour in slot.after], slot.y) for slot in column])
    for column in reversed(used):
        _straighten(column)
    slots = [slot for column in used for slot in column]
    shift = top - min((slot.y - slot.height / 2 for slot in slots), default=top)
    for slot in slots:
        slot.y += shift
    return max((slot.y + slot.height / 2 for slot in slots), default=top)


def _straighten(column: Sequence[ColumnSlot]) -> None:
    """Move lanes by a few pixels so that they are straight, without touching their neighbours."""
    for slot in column:
        if slot.node is None and len(slot.after) == 1 and abs(slot.after[0].y - slot.y) <= _GAP / 2:
            slot.y = slot.after[0].y


def _note(column: Sequence[ColumnSlot], places: dict[ColumnSlot, float]) -> None:
    size = max(len(column), 1)
    places.update({slot: (at + 0.5) / size for at, slot in enumerate(column)})


def _mean(places: Sequence[float], default: _Default) -> float | _Default:
    return sum(places) / len(places) if places else default


def _place(column: Sequence[ColumnSlot], positions: Sequence[float | None]) -> None:
    """Move slots to the wanted places, as far as their order and their heights allow."""
    offsets: list[float] = []
    below = 0.0
    for slot in column:
        offsets.append(below + slot.height / 2)
        below += slot.height + _GAP
    blocks: list[tuple[float, int]] = []  # the mean of the wanted places, and the number of slots
    last = 0.0
    for offset, place in zip(offsets, positions, strict=True):
        last = last if place is None else place - offset
        mean, count = last, 1
        while blocks and blocks[-1][0] > mean:
            other, others = blocks.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        blocks.append((mean, count))
    starts = [mean for mean, count in blocks for _ in range(count)]
    for slot, offset, start in zip(column, offsets, starts, strict=True):
        slot.y = start + offset
