"""How states, resources and the lines between them look, the same in every form of a drawing.

Kinds of dependencies never differ by colour alone: each has its own pattern or width. The box of a resource
contains its status as a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.drawing import DrawnState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.output.drawing.drawing import Drawn, DrawnEdge


class Look(msgspec.Struct, frozen=True):
    """The colours of a box.

    Args:
        fill: the colour of its inside.
        line: the colour of its border.
        dark_fill: the colour of its inside on a dark background.
    """

    fill: str
    line: str
    dark_fill: str


class Stroke(msgspec.Struct, frozen=True, kw_only=True):
    """How a line between two boxes is drawn.

    Args:
        style: solid, bold, dashed or dotted, as in Graphviz.
        head: the arrow head, as in Graphviz, which has fewer dash patterns than SVG.
        colour: its colour.
        dark_colour: its colour on a dark background.
        dashes: lengths of its dashes and gaps in pixels, as in SVG; empty for a line without gaps.
        width_px: its width.
        meaning: what it says about the two boxes, for the legend.
    """

    style: str
    head: str = "normal"
    colour: str = "#66717e"
    dark_colour: str = "#98a3b0"
    dashes: str = ""
    width_px: float = 1.0
    meaning: str = ""


STATES: Final = {
    "planned": Look("#f5f5f5", "#66717e", "#222a33"),
    "running": Look("#e3e9ff", "#66717e", "#222a33"),
    "succeeded": Look("#e2f3e4", "#66717e", "#1e3524"),
    "changed": Look("#d8f0f5", "#3a8fa3", "#17343c"),
    "would_change": Look("#fdf3cf", "#b08a1e", "#3b3315"),
    "failed": Look("#fbdcdc", "#b04040", "#432020"),
}
"""Looks by status of a state."""

RESOURCES: Final = {
    "planned": Look("#f5f7fa", "#66717e", "#222a33"),
    "active": Look("#d9f2de", "#256a42", "#1e3524"),
    "created": Look("#d9f2de", "#256a42", "#1e3524"),
    "updated": Look("#d3edf7", "#17607c", "#17343c"),
    "replaced": Look("#d3edf7", "#17607c", "#17343c"),
    "unchanged": Look("#ffffff", "#5a6572", "#1a2027"),
    "failed": Look("#fbd5d5", "#b3261e", "#4a1f1f"),
    "skipped": Look("#fdf3cf", "#75580a", "#3b3315"),
    "excluded": Look("#f5f7fa", "#66717e", "#222a33"),
    "orphaned": Look("#eee0f7", "#7b4fa3", "#33233f"),
    "destroyed": Look("#dfe2e6", "#3f4852", "#2f353c"),
    "retained": Look("#dfe2e6", "#3f4852", "#2f353c"),
    "forgotten": Look("#dfe2e6", "#3f4852", "#2f353c"),
}
"""Looks by status of a resource, in the order of a legend."""

PLAIN_LINE: Final = Stroke(style="solid")
"""The line of a requisite that has no line of its own."""

LINES: Final = {
    "arg_bind": Stroke(style="bold", colour="#2f6fb3", dark_colour="#2f6fb3"),
    "watch": Stroke(style="dashed", dashes="6 3"),
    "listen": Stroke(style="dashed", dashes="6 3"),
    "onchanges": Stroke(style="dashed", dashes="6 3"),
    "onfail": Stroke(style="dotted", dashes="2 3"),
    "prereq": Stroke(style="dotted", dashes="2 3"),
}
"""Lines by requisite."""

DEPENDENCIES: Final = {
    "workload": Stroke(
        style="bold",
        colour="#1f3b5c",
        dark_colour="#b8cbe0",
        width_px=2.6,
        meaning="the workload declares or names it",
    ),
    "reference": Stroke(
        style="solid",
        colour="#2f6fb3",
        dark_colour="#6fa8e0",
        width_px=1.3,
        meaning="a placeholder names it",
    ),
    "co-provision": Stroke(
        style="dashed",
        colour="#2e7d4f",
        dark_colour="#6cc091",
        dashes="9 5",
        width_px=1.8,
        meaning="it brought the dependent along",
    ),
    "match_dependents": Stroke(
        style="dashed",
        head="onormal",
        colour="#b3541e",
        dark_colour="#e59563",
        dashes="10 4 2 4",
        width_px=1.8,
        meaning="brought along for all dependents",
    ),
    "selector": Stroke(
        style="dotted",
        colour="#7b4fa3",
        dark_colour="#b790dc",
        dashes="2 4",
        width_px=2.2,
        meaning="a selector found it",
    ),
    "for_each": Stroke(
        style="dotted",
        head="onormal",
        colour="#8a6d00",
        dark_colour="#d0b04a",
        dashes="8 4 2 4 2 4",
        width_px=1.6,
        meaning="it has the list of the dependent",
    ),
}
"""Lines by the reason for which a resource depends on another one, in the order of a legend."""


def look_of(node: Drawn) -> Look:
    """Return the look of a state or of a resource."""
    return STATES[node.status] if isinstance(node, DrawnState) else RESOURCES[node.status]


def kinds_in(edges: Iterable[DrawnEdge]) -> list[str]:
    """Return the kinds of some dependencies, each once, in the order of a legend."""
    present = {edge.kind for edge in edges}
    return [kind for kind in DEPENDENCIES if kind in present]
