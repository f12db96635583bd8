"""The legend of a run's picture: its statuses with their counts, its requisites, and what a state caused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from ensue.output.drawing.deployment_legend import laid_out
from ensue.output.drawing.looks import STATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.output.drawing.deployment_legend import Entry
    from ensue.output.drawing.layout import DrawingLayout
    from ensue.output.drawing.picture import Legend

_MEANINGS: Final = {
    "planned": "not run",
    "running": "running",
    "succeeded": "unchanged",
    "changed": "changed",
    "would_change": "would change",
    "failed": "failed",
}
_GROWN: Final = "grown"
_LINES: Final = {
    "arg_bind": "arg_bind: a value of the state",
    _GROWN: "caused",
}


def run_legend(layout: DrawingLayout, *, top: float) -> Legend | None:
    """Return the legend of a run; None for one without states.

    Args:
        layout: where its states are.
        top: the upper edge of the legend.
    """
    if not layout.nodes:
        return None
    return laid_out([list(_statuses(layout)), list(_lines(layout))], top=top)


def _statuses(layout: DrawingLayout) -> Iterator[Entry]:
    counts = Counter[str](placed.node.status for placed in layout.nodes.values())
    for status in STATES:
        if count := counts.get(status):
            yield f"state {status}", f"{count} {_MEANINGS[status]}", False


def _lines(layout: DrawingLayout) -> Iterator[Entry]:
    for kind in sorted({edge.kind for edge in layout.edges}):
        yield kind, _LINES.get(kind, kind), True
    if any(placed.below for placed in layout.nodes.values()):
        yield _GROWN, _LINES[_GROWN], True
