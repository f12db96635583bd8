"""Nothing in a drawing covers anything else, and what runs later is drawn lower."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given, settings

from ensue.output.drawing.drawing import ScopeBox, walk
from ensue.output.drawing.layout import lay_out

from .pictures import Hand, pictures

if TYPE_CHECKING:
    from ensue.output.drawing.layout import Area, DrawingLayout


def _apart(area: Area, other: Area) -> bool:
    return (
        area.x + area.width <= other.x
        or other.x + other.width <= area.x
        or area.bottom <= other.y
        or other.bottom <= area.y
    )


def _holds(outer: Area, inner: Area) -> bool:
    across = outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width
    return across and outer.y <= inner.y and inner.bottom <= outer.bottom


def _area_of(layout: DrawingLayout, box: ScopeBox) -> Area:
    return next(placed.area for placed in layout.boxes if placed.box is box)


@settings(max_examples=25)
@given(pictures())
def test_nothing_covers_anything(top: ScopeBox) -> None:
    """States and the scopes below them do not overlap, and are inside their scope's box."""
    layout = lay_out(top)
    for box in walk(top):
        outer = _area_of(layout, box)
        areas = [layout.nodes[node.number].area for node in box.nodes]
        areas += [_area_of(layout, grown) for node in box.nodes for grown in node.grown]
        assert all(_holds(outer, area) for area in areas)
        assert all(_apart(area, other) for area, other in itertools.combinations(areas, 2))


@settings(max_examples=25)
@given(pictures())
def test_later_is_lower(top: ScopeBox) -> None:
    """A state is drawn below every state that it follows, and below the scopes of those states."""
    layout = lay_out(top)
    for edge in layout.edges:
        assert layout.nodes[edge.before].row_bottom < layout.nodes[edge.after].area.y


def test_sixty_scopes_within_each_other() -> None:
    """Scopes may be nested as deep as a run allows."""
    hand = Hand()
    box = hand.box([hand.node("innermost")])
    for _ in range(63):
        box = hand.box([hand.node("caller", [box])])
    assert len(lay_out(box).boxes) == 64
