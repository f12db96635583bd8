"""A run as a picture: states in layers from top to bottom, scopes below the states that caused them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.drawing.layout import lay_out
from ensue.output.drawing.picture import Box, Frame, Picture, PictureLine, PictureText
from ensue.output.drawing.run_legend import run_legend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.output.drawing.drawing import ScopeBox
    from ensue.output.drawing.layout import DrawingLayout, PlacedBox, PlacedNode
    from ensue.output.drawing.picture import Area

_SHORTEST_BEND: Final = 12.0
_AROUND: Final = 12.0
"""The room around the legend."""


def run_picture(top: ScopeBox, shown: Callable[[str], str]) -> Picture:
    """Return the picture of a run.

    Args:
        top: the drawing.
        shown: returns the form of a text that is drawn; it may mask secrets.
    """
    layout = lay_out(top, shown)
    legend = run_legend(layout, top=layout.height)
    right, bottom = (legend.area.right, legend.area.bottom) if legend else (0.0, layout.height - _AROUND)
    return Picture(
        width=max(layout.width, right + _AROUND),
        height=bottom + _AROUND,
        frames=[_frame(placed, shown) for placed in layout.boxes],
        lines=list(_lines(layout)),
        boxes=[_box(placed, shown) for placed in layout.nodes.values()],
        legend=legend,
    )


def _frame(placed: PlacedBox, shown: Callable[[str], str]) -> Frame:
    box = placed.box
    look = "top" if box.kind == "top" else f"scope {box.status}"
    return Frame(area=placed.area, look=look, title=placed.title, about=shown(box.comment))


def _box(placed: PlacedNode, shown: Callable[[str], str]) -> Box:
    node, area = placed.node, placed.area
    target = f" on {node.target}" if node.target else ""
    return Box(
        area=area,
        look=node.status,
        about=(shown(f"{node.id}: {node.function} {node.name}{target}, {node.status}"),),
        texts=(
            PictureText(text=placed.upper, x=area.middle, y=area.y + 18, anchor="middle"),
            PictureText(text=placed.lower, x=area.middle, y=area.y + 34, look="function", anchor="middle"),
        ),
    )


def _lines(layout: DrawingLayout) -> Iterator[PictureLine]:
    for edge in layout.edges:
        first, second = layout.nodes[edge.before], layout.nodes[edge.after]
        curve = _curve(first.area.middle, first.row_bottom, second.area)
        straight = f"M{first.area.middle:.1f} {first.bottom:.1f}V{first.row_bottom:.1f}"
        yield PictureLine(path=f"{straight}{curve}", look=edge.kind, about=(edge.kind,))
    for node in layout.nodes.values():
        above = node.area
        for area in node.below:
            curve = _curve(above.middle, above.bottom, area)
            yield PictureLine(path=f"M{above.middle:.1f} {above.bottom:.1f}{curve}", look="grown")
            above = area


def _curve(x: float, y: float, end: Area) -> str:
    """Return the part of a path that leads from a point to the middle of an area's upper edge."""
    bend = max((end.y - y) / 2, _SHORTEST_BEND)
    return f"C{x:.1f} {y + bend:.1f} {end.middle:.1f} {end.y - bend:.1f} {end.middle:.1f} {end.y:.1f}"
