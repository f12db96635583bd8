"""How lines run between the columns of a deployment: along tracks, at right angles with round corners.

A bundle that has to go up or down gets its own track, so that no two bundles cover each other. The lines of
one bundle meet on its track and continue as one. Between two columns there are no boxes to cross.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.columns import PORT_GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.output.drawing.columns import Bundle, ColumnSlot, Grid

MARGIN: Final = 22.0
"""The space between a column and its first track, for the frame of a workload and an arrow head."""
_TRACK_GAP: Final = 7.0
_RADIUS: Final = 6.0
_APART: Final = 4.0
_NUDGES: Final = (0.0, 5.0, -5.0, 8.0, -8.0, 3.0, -3.0)


class Route(msgspec.Struct, kw_only=True):
    """How one bundle runs.

    Args:
        bundle: the bundle.
        starts: where its lines leave each source, from top to bottom.
        end: where it reaches its end.
        track: the number of its track, from left to right; not used by a straight line.
    """

    bundle: Bundle
    starts: list[tuple[ColumnSlot, float]]
    end: float
    track: int = 0

    @property
    def is_straight(self) -> bool:
        """Whether it is one horizontal line."""
        return all(y == self.end for _, y in self.starts)

    @property
    def reach(self) -> tuple[float, float]:
        """Its highest and its lowest point."""
        places = [self.end, *(y for _, y in self.starts)]
        return min(places), max(places)


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """The space between two columns, and the lines in it.

    Args:
        routes: the bundles.
        tracks: how many tracks they need.
    """

    routes: list[Route]
    tracks: int

    @property
    def width(self) -> float:
        """The width of the gap."""
        return 2 * MARGIN + max(self.tracks - 1, 0) * _TRACK_GAP


def gaps_of(grid: Grid) -> Iterator[Gap]:
    """Yield the gap to the right of each column but the last; all slots are placed already."""
    for bundles in grid.bundles:
        ends = _ends(bundles)
        starts = _starts(bundles, ends)
        routes = [
            Route(
                bundle=bundle,
                starts=sorted(
                    ((slot, starts[slot, bundle]) for slot in bundle.sources), key=lambda start: start[1]
                ),
                end=ends[bundle],
            )
            for bundle in bundles
        ]
        yield Gap(routes=routes, tracks=_give_tracks(routes))


def route_path(route: Route, lefts: Sequence[float], rights: Sequence[float]) -> str:
    """Return the course of a bundle as the data of an SVG path, whose last part reaches the bundle's end.

    Args:
        route: the bundle.
        lefts: the left edge of each column.
        rights: the right edge of each column.
    """
    column = route.bundle.end.column
    track = rights[column - 1] + MARGIN + route.track * _TRACK_GAP
    parts: list[str] = []
    straight = [slot for slot, y in route.starts if y == route.end]
    upper = [start for start in route.starts if start[1] < route.end]
    lower = [start for start in reversed(route.starts) if start[1] > route.end]
    for side in (upper, lower):
        for place, (slot, y) in enumerate(side):
            parts.append(_bend(_left(slot, lefts, rights), y, track, route.end, joins=place > 0))
    # The last part has the arrow: a straight line if any, else the outermost one from above or below.
    if straight:
        parts.append(f"M{_left(straight[0], lefts, rights):.1f} {route.end:.1f}")
    elif upper:
        parts.append(parts.pop(0))
    else:
        parts.append(parts.pop(len(upper)))
    return f"{''.join(parts)}H{lefts[column]:.1f}"


def _left(slot: ColumnSlot, lefts: Sequence[float], rights: Sequence[float]) -> float:
    """Return where a line leaves a slot; it crosses a lane on its way."""
    return lefts[slot.column] if slot.node is None else rights[slot.column]


def _bend(x: float, y: float, track: float, end: float, *, joins: bool) -> str:
    """Return a line to a track and along it to its end, or only to where it joins another line."""
    radius = min(_RADIUS, abs(end - y) / 2)
    turn = radius if end > y else -radius
    onto = f"M{x:.1f} {y:.1f}H{track - radius:.1f}Q{track:.1f} {y:.1f} {track:.1f} {y + turn:.1f}"
    if joins:
        return onto
    return f"{onto}V{end - turn:.1f}Q{track:.1f} {end:.1f} {track + radius:.1f} {end:.1f}"


def _ends(bundles: Iterable[Bundle]) -> dict[Bundle, float]:
    """Return where each bundle reaches its end; those that reach one resource are side by side."""
    reaching: dict[ColumnSlot, list[Bundle]] = {}
    for bundle in bundles:
        reaching.setdefault(bundle.end, []).append(bundle)
    return {
        bundle: slot.y + (place - (len(several) - 1) / 2) * PORT_GAP
        for slot, several in reaching.items()
        for place, bundle in enumerate(sorted(several, key=lambda bundle_: bundle_.kind))
    }


def _starts(bundles: Iterable[Bundle], ends: dict[Bundle, float]) -> dict[tuple[ColumnSlot, Bundle], float]:
    """Return where each bundle leaves its sources, apart from where another one ends."""
    taken = sorted(ends.values())
    leaving: dict[ColumnSlot, list[Bundle]] = {}
    for bundle in bundles:
        for slot in bundle.sources:
            leaving.setdefault(slot, []).append(bundle)
    starts: dict[tuple[ColumnSlot, Bundle], float] = {}
    for slot, several in leaving.items():
        several.sort(key=ends.__getitem__)
        own: list[float] = []
        for place, bundle in enumerate(several):
            ideal = slot.y + (place - (len(several) - 1) / 2) * PORT_GAP
            own.append(slot.y if slot.node is None else _free(ideal, ends[bundle], taken, own))
            starts[slot, bundle] = own[-1]
    return starts


def _free(ideal: float, end: float, taken: Sequence[float], own: Sequence[float]) -> float:
    """Return a place near the wanted one that does not look connected to the end of another bundle."""
    if abs(ideal - end) < _APART and _is_apart(end, own):
        return end
    return next(
        (y for y in (ideal + nudge for nudge in _NUDGES) if _is_apart(y, own) and not _is_near(y, taken)),
        ideal,
    )


def _is_apart(y: float, own: Sequence[float]) -> bool:
    return all(abs(y - other) >= _APART for other in own[-2:])


def _is_near(y: float, taken: Sequence[float]) -> bool:
    at = bisect_left(taken, y - _APART)
    return at < len(taken) and taken[at] < y + _APART


def _give_tracks(routes: Sequence[Route]) -> int:
    """Give each bundle the first free track, longest bundle first; return the number of tracks."""
    tracks: list[list[tuple[float, float]]] = []
    bent = [route for route in routes if not route.is_straight]
    for route in sorted(bent, key=lambda route_: (route_.reach[0] - route_.reach[1], route_.reach)):
        first, last = route.reach
        reach = (first - _APART, last + _APART)
        route.track = next(
            (number for number, used in enumerate(tracks) if _is_free(reach, used)), len(tracks)
        )
        if route.track == len(tracks):
            tracks.append([])
        used = tracks[route.track]
        used.insert(bisect_left(used, reach), reach)
    return len(tracks)


def _is_free(reach: tuple[float, float], used: Sequence[tuple[float, float]]) -> bool:
    at = bisect_left(used, reach)
    clear_below = at == len(used) or used[at][0] > reach[1]
    return clear_below and (at == 0 or used[at - 1][1] < reach[0])
