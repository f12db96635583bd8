"""Small tables in columns, as `resources list` and `runs list` print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.output.colours import PLAIN, Palette, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


def table_text(headings: Sequence[str], rows: Sequence[Sequence[str]], palette: Palette = PLAIN) -> str:
    """Return a table whose columns are as wide as their widest cell, with a line end.

    Args:
        headings: one word per column, shown in capitals.
        rows: cells; as many as headings.
        palette: the colours; only the headings are coloured.
    """
    shown = [[on_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *shown, strict=True)]
    head = _row([heading.upper() for heading in headings], widths)
    lines = [palette.paint(palette.cyan, head), *(_row(row, widths) for row in shown)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
