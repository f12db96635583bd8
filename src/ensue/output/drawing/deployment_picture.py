"""A deployment as a picture: columns from left to right, dependents left of their dependencies.

A box has the type of a resource, its class unless that is the default one, its status, its id, its definition
and its driver. The resources of a workload are in a frame; frames follow one another from top to bottom.

Source: resource graph document, the flowcharts: arrows lead from dependents to dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.columns import PORT_GAP, grid_of, lane_count
from ensue.output.drawing.deployment_legend import HEADING_HEIGHT, heading, legend_of
from ensue.output.drawing.fitting import fitted, shown_line, wrapped
from ensue.output.drawing.picture import Area, Box, Frame, Picture, PictureLine, PictureText
from ensue.output.drawing.placing import order_band, place_band
from ensue.output.drawing.routes import MARGIN, gaps_of, route_path
from ensue.output.drawing.text_width import text_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.output.drawing.columns import Bundle, ColumnSlot, Grid
    from ensue.output.drawing.drawing import DrawnResource, ScopeBox
    from ensue.output.drawing.routes import Gap

    Shown = Callable[[str], str]

# The same as in the style of the SVG.
_FONT_PX: Final = 12.0
_SMALL_FONT_PX: Final = 11.0
_ROW: Final = 15.0
_ROOM: Final = 236.0
_SIDE: Final = 12.0
_EDGE: Final = 24.0
_FRAME_SIDE: Final = 9.0
_FRAME_TITLE: Final = 24.0
_BAND_GAP: Final = 18.0
_LISTED_ORIGINS: Final = 12
_MOST_RESOURCES: Final = 2_000
_MOST_LANES: Final = 10_000


def fits_a_picture(top: ScopeBox) -> bool:
    """Return whether a deployment is small enough for a readable picture.

    Args:
        top: the drawing.
    """
    count = sum(len(box.nodes) for box in (top, *top.inner))
    return count <= _MOST_RESOURCES and lane_count(top) <= _MOST_LANES


class _Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The texts in a box.

    Args:
        kind: the first row, beside the status.
        id: the rows below it.
        small: the rows with definition and driver.
        width: the width of the widest row, in pixels.
    """

    kind: str
    id: list[str]
    small: list[str]
    width: float

    @property
    def height(self) -> float:
        """The height of a box for these texts."""
        return 11 + _ROW * (1 + len(self.id) + len(self.small))


def deployment_picture(top: ScopeBox, shown: Shown) -> Picture:
    """Return the picture of a deployment.

    Args:
        top: the drawing.
        shown: returns the form of a text that is drawn; it may mask secrets.
    """
    nodes = {node.number: node for box in (top, *top.inner) for node in box.resources}
    rows = {number: _rows(node, shown) for number, node in nodes.items()}
    grid = grid_of(top, lambda node, ports: max(rows[node.number].height, (ports + 1) * PORT_GAP))
    legend = legend_of(nodes.values(), top.edges)
    ends = _place_bands(grid, HEADING_HEIGHT + legend.area.height + _EDGE)
    gaps = list(gaps_of(grid))
    lefts, rights = _edges_of_columns(grid, gaps, rows)
    boxes = [
        _box(slot.node, _area(slot, lefts, rights), rows[slot.node.number], shown)
        for band in grid.bands
        for column in band
        for slot in column
        if slot.node is not None
    ]
    return Picture(
        width=max([*rights, legend.area.right]) + _EDGE,
        height=max([_EDGE, *ends]) + _EDGE,
        frames=[
            heading(shown_line(shown(top.name)), len(nodes)),
            *_frames(top, grid, (lefts, rights), shown),
        ],
        lines=[
            PictureLine(
                path=route_path(route, lefts, rights),
                look=route.bundle.kind,
                about=_about_bundle(route.bundle, nodes, shown),
                has_arrow=route.bundle.end.node is not None,
            )
            for gap in gaps
            for route in gap.routes
        ],
        boxes=boxes,
        legend=legend,
    )


def _rows(node: DrawnResource, shown: Shown) -> _Rows:
    status = text_width(node.status, _SMALL_FONT_PX, bold=True) + 10
    kind = fitted(shown_line(shown(node.kind)), _ROOM - status, _FONT_PX, bold=True)
    id_ = wrapped(shown_line(shown(node.id)), _ROOM, _FONT_PX)
    origin = [shown_line(shown(origin_part)) for origin_part in (node.definition, node.driver) if origin_part]
    joined = " · ".join(origin)
    fits = text_width(joined, _SMALL_FONT_PX) <= _ROOM
    small = [joined] if joined and fits else [fitted(text, _ROOM, _SMALL_FONT_PX) for text in origin]
    widths = [
        text_width(kind, _FONT_PX, bold=True) + status,
        *(text_width(text, _FONT_PX) for text in id_),
        *(text_width(text, _SMALL_FONT_PX) for text in small),
    ]
    return _Rows(kind=kind, id=id_, small=small, width=max(widths))


def _place_bands(grid: Grid, top: float) -> list[float]:
    """Place every slot, and return where each band ends."""
    ends: list[float] = []
    for number, band in enumerate(grid.bands):
        order_band(band)
        title = _FRAME_TITLE if number else 0.0
        bottom = place_band(band, top + title)
        ends.append(bottom)
        if any(band):
            top = bottom + _BAND_GAP + (_FRAME_SIDE if number else 0.0)
    return ends


def _edges_of_columns(
    grid: Grid, gaps: Sequence[Gap], rows: dict[int, _Rows]
) -> tuple[list[float], list[float]]:
    """Return the left and the right edge of each column."""
    lefts: list[float] = []
    rights: list[float] = []
    left = _EDGE
    for column in range(grid.width):
        widths = [
            rows[slot.node.number].width
            for band in grid.bands
            for slot in band[column]
            if slot.node is not None
        ]
        lefts.append(left)
        rights.append(left + max(widths, default=0.0) + 2 * _SIDE)
        left = rights[-1] + (gaps[column].width if column < len(gaps) else MARGIN)
    return lefts, rights


def _area(slot: ColumnSlot, lefts: Sequence[float], rights: Sequence[float]) -> Area:
    width = rights[slot.column] - lefts[slot.column]
    return Area(lefts[slot.column], slot.y - slot.height / 2, width, slot.height)


def _box(node: DrawnResource, area: Area, rows: _Rows, shown: Shown) -> Box:
    left, y = area.x + _SIDE, area.y + (area.height - rows.height) / 2 + 17
    texts = [
        PictureText(text=rows.kind, x=left, y=y, look="kind"),
        PictureText(text=node.status, x=area.right - _SIDE, y=y, look=f"status {node.status}", anchor="end"),
    ]
    for look, several in (("", rows.id), ("function", rows.small)):
        for text in several:
            y += _ROW
            texts.append(PictureText(text=text, x=left, y=y, look=look))
    return Box(
        area=area,
        look=f"{node.status} {'workload' if node.is_workload else 'resource'}",
        about=tuple(map(shown, node.about)),
        texts=tuple(texts),
        bars=node.is_workload,
    )


def _about_bundle(bundle: Bundle, nodes: dict[int, DrawnResource], shown: Shown) -> tuple[str, ...]:
    listed = [f"from {shown(nodes[number].key)}" for number in bundle.origins[:_LISTED_ORIGINS]]
    more = len(bundle.origins) - len(listed)
    rest = [f"and {more} more"] if more else []
    return (f"{bundle.kind}: to {shown(bundle.target.key)}", *listed, *rest)


def _frames(
    top: ScopeBox, grid: Grid, sides: tuple[Sequence[float], Sequence[float]], shown: Shown
) -> Iterator[Frame]:
    lefts, rights = sides
    for box, band in zip(top.inner, grid.bands[1:], strict=True):
        slots = [slot for column in band for slot in column]
        places = [slot.column for slot in slots if slot.node is not None]
        if not places:
            continue
        upper = min(slot.y - slot.height / 2 for slot in slots) - _FRAME_TITLE
        lower = max(slot.y + slot.height / 2 for slot in slots) + _FRAME_SIDE
        left, right = lefts[min(places)] - _FRAME_SIDE, rights[max(places)] + _FRAME_SIDE
        yield Frame(
            area=Area(left, upper, right - left, lower - upper),
            look="scope done",
            title=fitted(shown_line(shown(box.title)), right - left - 24, _FONT_PX, bold=True),
        )
