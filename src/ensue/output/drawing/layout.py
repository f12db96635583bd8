"""The layout of a run's drawing: states in layers by their requisites, scopes below their callers.

Linear in states and requisites. Within a scope, a state is below everything that it comes after (the longest
path counts). States of a layer keep the order of the run, moved towards what they come after. A layer that is
too wide continues in another row. Sizes are in pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.depths import depths
from ensue.output.drawing.picture import Area
from ensue.output.drawing.text_width import text_width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.output.drawing.drawing import DrawnEdge, DrawnState, ScopeBox

NODE_HEIGHT: Final = 44.0
TITLE_HEIGHT: Final = 26.0
LONGEST_LABEL_CHARS: Final = 44

# The same as in the style of the SVG.
_FONT_PX: Final = 12.0
_SMALL_FONT_PX: Final = 11.0
_PADDING: Final = 16.0
_GAP_X: Final = 24.0
_GAP_Y: Final = 40.0
_GAP_TO_BOX: Final = 22.0
_WIDEST_ROW: Final = 1600.0
_NARROWEST_NODE: Final = 120.0


class PlacedNode(msgspec.Struct, kw_only=True):
    """A state and its place.

    Args:
        node: the state.
        upper: its first line, as it is drawn.
        lower: its second line.
        area: its own rectangle.
        bottom: where it ends together with the scopes below it; lines to later states begin there.
        row_bottom: where its whole row ends; those lines are straight until there, past larger neighbours.
        below: the rectangles of the scopes below it, in order.
    """

    node: DrawnState
    upper: str
    lower: str
    area: Area
    bottom: float
    row_bottom: float
    below: list[Area]


class PlacedBox(msgspec.Struct, kw_only=True):
    """A scope and its place.

    Args:
        box: the scope.
        title: its title, as it is drawn.
        area: its rectangle.
    """

    box: ScopeBox
    title: str
    area: Area


class DrawingLayout(msgspec.Struct, kw_only=True):
    """A whole drawing, outer boxes before inner ones.

    Args:
        width: the whole width.
        height: the whole height.
        boxes: the scopes.
        nodes: the states by number.
        edges: the requisites.
    """

    width: float
    height: float
    boxes: list[PlacedBox]
    nodes: dict[int, PlacedNode]
    edges: list[DrawnEdge]


class _Item(msgspec.Struct):
    """A state with the scopes below it, which are placed as a unit."""

    node: DrawnState
    upper: str
    lower: str
    node_width: float
    inner: list[_Block]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    row_height: float = 0.0


class _Block(msgspec.Struct):
    """A scope whose states have places relative to its corner."""

    box: ScopeBox
    title: str
    items: list[_Item]
    width: float
    height: float


def lay_out(top: ScopeBox, shown: Callable[[str], str] = str) -> DrawingLayout:
    """Return the places of everything in a drawing.

    Args:
        top: the drawing.
        shown: returns the form of a text that is drawn; it may mask secrets.
    """
    block = _block(top, shown)
    layout = DrawingLayout(width=block.width, height=block.height, boxes=[], nodes={}, edges=[])
    _place(block, 0.0, 0.0, layout)
    return layout


def _label(text: str) -> str:
    """Return a label as it is drawn: on one line and not too long."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= LONGEST_LABEL_CHARS else line[: LONGEST_LABEL_CHARS - 1] + "…"


def _block(box: ScopeBox, shown: Callable[[str], str]) -> _Block:
    title = _label(shown(box.title))
    items = [_item(node, shown) for node in box.states]
    rows = [row for layer in _layers(items, box.edges) for row in _rows(layer)]
    widest = max((_row_width(row) for row in rows), default=_NARROWEST_NODE)
    width = max(widest, text_width(title, _FONT_PX, bold=True)) + 2 * _PADDING
    y = TITLE_HEIGHT + _PADDING
    for row in rows:
        x = (width - _row_width(row)) / 2
        height = max(item.height for item in row)
        for item in row:
            item.x, item.y, item.row_height = x, y, height
            x += item.width + _GAP_X
        y += height + _GAP_Y
    return _Block(box, title, items, width, y - (_GAP_Y if rows else 0) + _PADDING)


def _item(node: DrawnState, shown: Callable[[str], str]) -> _Item:
    upper, lower = (
        _label(shown(node.id)),
        _label(f"{node.function}{f' on {node.target}' if node.target else ''}"),
    )
    longest = max(text_width(upper, _FONT_PX), text_width(lower, _SMALL_FONT_PX))
    own = max(_NARROWEST_NODE, longest + _PADDING)
    inner = [_block(box, shown) for box in node.grown]
    width = max([own, *(block.width for block in inner)])
    height = NODE_HEIGHT + sum(_GAP_TO_BOX + block.height for block in inner)
    return _Item(node, upper, lower, own, inner, width, height)


def _layers(items: Sequence[_Item], edges: Sequence[DrawnEdge]) -> list[list[_Item]]:
    """Sort states into layers, each state below everything that it comes after."""
    later: dict[int, list[int]] = {}
    for edge in edges:
        later.setdefault(edge.before, []).append(edge.after)
    depth = depths([item.node.number for item in items], later)
    layers: list[list[_Item]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for item in items:
        layers[depth[item.node.number]].append(item)
    return _drawn_together(layers, edges)


def _drawn_together(layers: list[list[_Item]], edges: Sequence[DrawnEdge]) -> list[list[_Item]]:
    """Order every layer by the mean place of what its states come after, so that fewer lines cross."""
    before: dict[int, list[int]] = {}
    for edge in edges:
        before.setdefault(edge.after, []).append(edge.before)
    place: dict[int, float] = {}
    for layer in layers:
        size = max(len(layer), 1)
        positions = {
            item.node.number: _mean(
                [place[neighbour] for neighbour in before.get(item.node.number, ()) if neighbour in place]
            )
            for item in layer
        }
        layer.sort(key=lambda item: positions[item.node.number])
        place.update({item.node.number: (at + 0.5) / size for at, item in enumerate(layer)})
    return layers


def _mean(places: Sequence[float]) -> float:
    return sum(places) / len(places) if places else 0.0


def _rows(layer: Sequence[_Item]) -> list[list[_Item]]:
    rows: list[list[_Item]] = []
    width = 0.0
    for item in layer:
        width += item.width + _GAP_X
        if not rows or width > _WIDEST_ROW:
            rows.append([])
            width = item.width
        rows[-1].append(item)
    return rows


def _row_width(row: Sequence[_Item]) -> float:
    return sum(item.width for item in row) + _GAP_X * (len(row) - 1)


def _place(block: _Block, x: float, y: float, layout: DrawingLayout) -> Area:
    area = Area(x, y, block.width, block.height)
    layout.boxes.append(PlacedBox(box=block.box, title=block.title, area=area))
    layout.edges.extend(block.box.edges)
    for item in block.items:
        left, top = x + item.x, y + item.y
        own = Area(left + (item.width - item.node_width) / 2, top, item.node_width, NODE_HEIGHT)
        placed = PlacedNode(
            node=item.node,
            upper=item.upper,
            lower=item.lower,
            area=own,
            bottom=top + item.height,
            row_bottom=top + item.row_height,
            below=[],
        )
        layout.nodes[item.node.number] = placed
        below = top + NODE_HEIGHT
        for inner in item.inner:
            below += _GAP_TO_BOX
            placed.below.append(_place(inner, left + (item.width - inner.width) / 2, below, layout))
            below += inner.height
    return area
