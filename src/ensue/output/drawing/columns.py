"""The column of each resource of a deployment, and the lines that are bundled.

A resource is in a column to the left of everything that it depends on. All lines of one kind to one resource
run together: where they pass a column they share one lane through it, which has a place among the boxes of
the column, so that no line crosses a box. Linear in resources, dependencies, and the columns that lines pass.

Source: K. Sugiyama et al., Methods for visual understanding of hierarchical system structures (1981): layers,
and places in them for lines that pass. Shared lanes for lines to one target are ensue's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.depths import depths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.output.drawing.drawing import DrawnEdge, DrawnResource, ScopeBox

LANE_HEIGHT: Final = 10.0
PORT_GAP: Final = 9.0


class ColumnSlot(msgspec.Struct, kw_only=True, eq=False):
    """A place in a column: a resource, or a lane for lines that pass.

    Args:
        column: the number of its column.
        band: the number of its band: 0 for what belongs to no workload, then one per workload.
        height: in pixels.
        node: the resource; None for a lane.
        before: slots of the same band in the column to the left that lead here.
        after: slots of the same band in the column to the right that it leads to.
        y: its vertical middle, once it is placed.
    """

    column: int
    band: int
    height: float
    node: DrawnResource | None = None
    before: list[ColumnSlot] = msgspec.field(default_factory=list["ColumnSlot"])
    after: list[ColumnSlot] = msgspec.field(default_factory=list["ColumnSlot"])
    y: float = 0.0

    def towards(self, *, right: bool) -> list[ColumnSlot]:
        """Return the slots of the same band that this one is connected to on one side."""
        return self.after if right else self.before


class Bundle(msgspec.Struct, kw_only=True, eq=False):
    """Lines of one kind to one resource, between two adjacent columns.

    Args:
        kind: why the resources depend on the target.
        target: the resource that all its lines finally lead to.
        origins: the numbers of the resources that they start from, including those in columns further left.
        sources: the slots that they come from, in the left one of the columns.
        end: the slot that they lead to, in the right one.
    """

    kind: str
    target: DrawnResource
    origins: Sequence[int]
    sources: list[ColumnSlot]
    end: ColumnSlot


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A deployment in columns.

    Args:
        bands: slots by band and column; the slots of a band are in the order of the drawing.
        bundles: bundles by the column on their left.
        width: how many columns there are.
    """

    bands: list[list[list[ColumnSlot]]]
    bundles: list[list[Bundle]]
    width: int


def grid_of(top: ScopeBox, height: Callable[[DrawnResource, int], float]) -> Grid:
    """Return a deployment in columns.

    Args:
        top: the drawing.
        height: returns the height of a resource from its number of lines on one side.
    """
    boxes = [top, *top.inner]
    places = _columns([node for box in boxes for node in box.resources], top.edges)
    ports = _port_counts(top.edges)
    width = max(places.values(), default=-1) + 1
    bands: list[list[list[ColumnSlot]]] = [[[] for _ in range(width)] for _ in boxes]
    slots: dict[int, ColumnSlot] = {}
    for band, box in enumerate(boxes):
        for node in box.resources:
            own = ColumnSlot(
                column=places[node.number],
                band=band,
                height=height(node, ports.get(node.number, 0)),
                node=node,
            )
            slots[node.number] = own
            bands[band][own.column].append(own)
    bundles: list[list[Bundle]] = [[] for _ in range(max(width - 1, 0))]
    for bundle in _bundles(top.edges, slots, bands):
        bundles[bundle.end.column - 1].append(bundle)
        _connect(bundle)
    return Grid(bands=bands, bundles=bundles, width=width)


def lane_count(top: ScopeBox) -> int:
    """Return how many lanes the lines of a deployment need, without laying it out.

    Args:
        top: the drawing.
    """
    places = _columns([node for box in (top, *top.inner) for node in box.resources], top.edges)
    first: dict[tuple[int, str], int] = {}
    for edge in top.edges:
        at = first.get((edge.before, edge.kind), places[edge.after])
        first[edge.before, edge.kind] = min(at, places[edge.after])
    return sum(places[number] - column - 1 for (number, _), column in first.items())


def _columns(nodes: Sequence[DrawnResource], edges: Sequence[DrawnEdge]) -> dict[int, int]:
    """Return the column of each resource: right of all that depends on it, as far left as that allows.

    A resource that nothing depends on, unless it is a workload, is moved next to its dependencies.
    """
    below: dict[int, list[int]] = {}
    for edge in edges:
        below.setdefault(edge.after, []).append(edge.before)
    columns = depths([node.number for node in nodes], below)
    inner = {edge.before for edge in edges}
    for node in nodes:
        is_outermost = node.number not in inner and not node.is_workload
        if is_outermost and (needed := below.get(node.number)):
            columns[node.number] = min(columns[other] for other in needed) - 1
    return columns


def _port_counts(edges: Sequence[DrawnEdge]) -> dict[int, int]:
    """Return how many lines a resource has on the side that has more of them."""
    outgoing: dict[int, int] = {}
    incoming: dict[int, set[str]] = {}
    for edge in edges:
        outgoing[edge.after] = outgoing.get(edge.after, 0) + 1
        incoming.setdefault(edge.before, set()).add(edge.kind)
    return {
        number: max(outgoing.get(number, 0), len(incoming.get(number, ())))
        for number in {*outgoing, *incoming}
    }


def _bundles(
    edges: Sequence[DrawnEdge], slots: dict[int, ColumnSlot], bands: list[list[list[ColumnSlot]]]
) -> Iterator[Bundle]:
    together: dict[tuple[int, str], list[ColumnSlot]] = {}
    for edge in edges:
        together.setdefault((edge.before, edge.kind), []).append(slots[edge.after])
    for (number, kind), sources in together.items():
        target = slots[number]
        if target.node is not None:
            yield from _way(target, target.node, kind, sources, bands)


def _way(
    target: ColumnSlot,
    node: DrawnResource,
    kind: str,
    sources: list[ColumnSlot],
    bands: list[list[list[ColumnSlot]]],
) -> Iterator[Bundle]:
    """Yield the bundles of one kind to one resource, from left to right; add their lanes to its band."""
    sources.sort(key=lambda slot: slot.column)
    origins = [slot.node.number for slot in sources if slot.node is not None]
    joined = 0
    lane: ColumnSlot | None = None
    for column in range(sources[0].column, target.column):
        starts = [] if lane is None else [lane]
        while joined < len(sources) and sources[joined].column == column:
            starts.append(sources[joined])
            joined += 1
        if column + 1 < target.column:
            lane = ColumnSlot(column=column + 1, band=target.band, height=LANE_HEIGHT)
            bands[target.band][column + 1].append(lane)
        end = target if lane is None or column + 1 == target.column else lane
        yield Bundle(kind=kind, target=node, origins=origins[:joined], sources=starts, end=end)


def _connect(bundle: Bundle) -> None:
    for source in bundle.sources:
        if source.band == bundle.end.band:
            source.after.append(bundle.end)
            bundle.end.before.append(source)
