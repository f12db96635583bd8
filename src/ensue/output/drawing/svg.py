"""A drawing as an SVG file of its own: no program besides a browser is needed to look at it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line
from ensue.output.drawing.layout import TITLE_HEIGHT, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.masking import Masker
    from ensue.output.drawing.drawing import ScopeBox
    from ensue.output.drawing.layout import Area, Layout, PlacedBox, PlacedNode

_STYLE: Final = """
  svg { font: 12px system-ui, sans-serif; background: #fff; }
  text { fill: #1c2430; } .function { fill: #5a6572; font-size: 11px; } .title { font-weight: 600; }
  .scope { fill: #f3f5f8; fill-opacity: .6; stroke: #9aa5b1; } .scope.failed { stroke: #b04040; }
  .scope.deferred, .scope.not_rendered, .scope.planned { stroke-dasharray: 5 4; }
  .top { fill: none; stroke: none; }
  .node { fill: #fff; stroke: #66717e; } .node.succeeded { fill: #e2f3e4; } .node.changed { fill: #d8f0f5; }
  .node.would_change { fill: #fdf3cf; } .node.failed { fill: #fbdcdc; stroke: #b04040; }
  .edge { fill: none; stroke: #66717e; marker-end: url(#arrow); } .grown { stroke-dasharray: 3 3; }
  .onfail, .prereq { stroke-dasharray: 2 3; } .watch, .listen, .onchanges { stroke-dasharray: 6 3; }
  .arg_bind { stroke: #2f6fb3; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14181d; } text { fill: #dfe5ec; } .function { fill: #98a3b0; }
    .scope { fill: #1d232b; } .node { fill: #222a33; } .node.succeeded { fill: #1e3524; }
    .node.changed { fill: #17343c; } .node.would_change { fill: #3b3315; } .node.failed { fill: #432020; }
  }
"""
_HEAD: Final = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="#66717e"/></marker></defs>'
)
_SHORTEST_BEND: Final = 12.0


def svg_lines(top: ScopeBox, masker: Masker) -> Iterator[str]:
    """Yield the lines of an SVG document."""
    layout = lay_out(top, masker.text)
    size = f'width="{layout.width:.0f}" height="{layout.height:.0f}"'
    view = f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>'
    yield f"<style>{_STYLE}</style>{_HEAD}"
    for box in layout.boxes:
        yield from _box(box, masker)
    yield from _edges(layout)
    for box in layout.boxes:
        yield _title(box)
    for node in layout.nodes.values():
        yield from _node(node, masker)
    yield "</svg>"


def _box(placed: PlacedBox, masker: Masker) -> Iterator[str]:
    box, area = placed.box, placed.area
    kind = "top" if box.kind == "top" else f"scope {box.status}"
    about = f"<title>{_text(masker.text(box.comment))}</title>" if box.comment else ""
    yield f'<rect class="{kind}" rx="8" {_rectangle(area)}>{about}</rect>'


def _title(placed: PlacedBox) -> str:
    place = f'x="{placed.area.x + 10:.1f}" y="{placed.area.y + TITLE_HEIGHT - 8:.1f}"'
    return f'<text class="title" {place}>{_text(placed.title)}</text>'


def _node(placed: PlacedNode, masker: Masker) -> Iterator[str]:
    node, area = placed.node, placed.area
    target = f" on {node.target}" if node.target else ""
    about = _text(masker.text(f"{node.id}: {node.function} {node.name}{target}, {node.status}"))
    yield f'<g><title>{about}</title><rect class="node {node.status}" rx="5" {_rectangle(area)}/>'
    middle = f'text-anchor="middle" x="{area.middle:.1f}"'
    yield f'<text {middle} y="{area.y + 18:.1f}">{_text(placed.upper)}</text>'
    yield f'<text class="function" {middle} y="{area.y + 34:.1f}">{_text(placed.lower)}</text></g>'


def _edges(layout: Layout) -> Iterator[str]:
    for edge in layout.edges:
        first, second = layout.nodes[edge.before], layout.nodes[edge.after]
        curve = _curve(first.area.middle, first.row_bottom, second.area)
        straight = f"M{first.area.middle:.1f} {first.bottom:.1f}V{first.row_bottom:.1f}"
        yield f'<path class="edge {edge.kind}" d="{straight}{curve}"><title>{edge.kind}</title></path>'
    for node in layout.nodes.values():
        above = node.area
        for area in node.below:
            curve = _curve(above.middle, above.bottom, area)
            yield f'<path class="edge grown" d="M{above.middle:.1f} {above.bottom:.1f}{curve}"/>'
            above = area


def _curve(x: float, y: float, end: Area) -> str:
    """Return the part of a path that leads from a point to the middle of an area's upper edge."""
    bend = max((end.y - y) / 2, _SHORTEST_BEND)
    return f"C{x:.1f} {y + bend:.1f} {end.middle:.1f} {end.y - bend:.1f} {end.middle:.1f} {end.y:.1f}"


def _rectangle(area: Area) -> str:
    return f'x="{area.x:.1f}" y="{area.y:.1f}" width="{area.width:.1f}" height="{area.height:.1f}"'


def _text(text: str) -> str:
    return escape("".join(char for char in on_one_line(text) if char.isprintable()))
