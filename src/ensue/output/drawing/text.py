"""A drawing as a tree of lines, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.output.colours import Palette
    from ensue.output.drawing.drawing import DrawnState, ScopeBox

_SHOWN_PREDECESSORS: Final = 4


def drawing_lines(top: ScopeBox, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield the lines of a drawing: one line per state, scopes indented under the states that caused them."""
    tree = _Tree(masker, palette)
    yield tree.title(top)
    yield from tree.box(top, "")


class _Tree:
    def __init__(self, masker: Masker, palette: Palette) -> None:
        self._masker = masker
        self._palette = palette

    def box(self, box: ScopeBox, pad: str) -> Iterator[str]:
        """Yield the lines for the contents of a box."""
        names = {node.number: node.id for node in box.states}
        before: dict[int, list[str]] = {}
        for edge in box.edges:
            before.setdefault(edge.after, []).append(f"{edge.kind} {names.get(edge.before, '?')}")
        for place, node in enumerate(box.states, 1):
            last = place == len(box.nodes)
            yield f"{pad}{'└─' if last else '├─'} {self._state(node, before.get(node.number, []))}"
            below = pad + ("   " if last else "│  ")
            for number, grown in enumerate(node.grown, 1):
                at_end = number == len(node.grown)
                yield f"{below}{'└─' if at_end else '├─'} {self.title(grown)}"
                yield from self.box(grown, below + ("   " if at_end else "│  "))

    def _state(self, node: DrawnState, before: list[str]) -> str:
        palette = self._palette
        colour = {"failed": palette.red, "changed": palette.cyan, "would_change": palette.light_yellow}
        status = "" if node.status == "planned" else f"  {node.status.replace('_', ' ')}"
        target = f" on {node.target}" if node.target else ""
        shown = ", ".join(before[:_SHOWN_PREDECESSORS])
        more = len(before) - _SHOWN_PREDECESSORS
        after = f"  ({shown}{f' and {more} more' if more > 0 else ''})" if before else ""
        named = palette.paint(colour.get(node.status, ""), self._shown(f"{node.id} [{node.function}]"))
        return f"{named}{self._shown(f'{target}{status}{after}')}"

    def title(self, box: ScopeBox) -> str:
        """Return the title line of a box."""
        comment = f": {on_one_line(self._masker.text(box.comment))}" if box.comment else ""
        return self._palette.paint(self._palette.bold, f"{self._shown(box.title)}{comment}")

    def _shown(self, names: str) -> str:
        return on_one_line(self._masker.name(names))
