"""The header of a deployment's picture: its name, the legend of its lines, and the count per status."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from ensue.output.drawing.looks import DEPENDENCIES, RESOURCES, kinds_in
from ensue.output.drawing.picture import Area, Frame, Legend, Sample
from ensue.output.drawing.text_width import text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.output.drawing.drawing import DrawnEdge, DrawnResource

HEADING_HEIGHT: Final = 30.0
"""The height of the line with the name."""
LEGEND_FONT_PX: Final = 11.0
"""The font of a legend."""

Entry: TypeAlias = tuple[str, str, bool]
"""An entry of a legend: the classes of its style, its text, and whether it is a line."""

_X: Final = 12.0
_ROW: Final = 20.0
_PADDING: Final = 8.0
_LINE_SAMPLE: Final = 44.0
_BOX_SAMPLE: Final = 16.0
_GAP: Final = 6.0
_BETWEEN: Final = 18.0
_WIDEST: Final = 1100.0
_NARROWEST: Final = 320.0


def heading(name: str, count: int) -> Frame:
    """Return the frame of a whole deployment, with its name as the title.

    Args:
        name: its name, on one line.
        count: how many resources it has.
    """
    resources = "1 resource" if count == 1 else f"{count} resources"
    title = f"{name}: {resources}"
    return Frame(
        area=Area(_X - 10, 2, text_width(title, 12, bold=True) + 20, HEADING_HEIGHT), look="top", title=title
    )


def legend_of(nodes: Iterable[DrawnResource], edges: Sequence[DrawnEdge]) -> Legend:
    """Return the legend of the lines and statuses in a deployment.

    Args:
        nodes: its resources.
        edges: its dependencies.
    """
    return laid_out([list(_line_entries(edges)), list(_status_entries(nodes))], top=HEADING_HEIGHT + 4)


def laid_out(groups: Iterable[Sequence[Entry]], *, top: float) -> Legend:
    """Return a legend: each group begins a row, and what has no room in a row goes to the next one.

    Args:
        groups: the entries.
        top: the upper edge.
    """
    samples: list[Sample] = []
    right = 0.0
    x, y = _X + _PADDING, top + _PADDING
    for group in groups:
        for look, text, is_line in group:
            sample = _LINE_SAMPLE if is_line else _BOX_SAMPLE
            width = sample + _GAP + text_width(text, LEGEND_FONT_PX)
            if x + width > _WIDEST and x > _X + _PADDING:
                x, y = _X + _PADDING, y + _ROW
            area = Area(x, y + 2, sample, _ROW - 8)
            samples.append(Sample(look=look, text=text, area=area, is_line=is_line))
            right = max(right, x + width)
            x += width + _BETWEEN
        if group:
            x, y = _X + _PADDING, y + _ROW
    area = Area(_X, top, max(right + _PADDING - _X, _NARROWEST), y + _PADDING - 4 - top)
    return Legend(area=area, samples=tuple(samples))


def _line_entries(edges: Iterable[DrawnEdge]) -> Iterator[Entry]:
    for kind in kinds_in(edges):
        yield kind, f"{kind}: {DEPENDENCIES[kind].meaning}", True


def _status_entries(nodes: Iterable[DrawnResource]) -> Iterator[Entry]:
    counts = Counter[str](node.status for node in nodes)
    for status in RESOURCES:
        if count := counts.get(status):
            yield status, f"{count} {status}", False
