"""Which line of the template each rendered line comes from.

While a template is compiled, a mark with the line number is put before every piece of literal text. The
marks pass through the rendering and are then removed. The result is the text, and an `Anchor` for each
place where the line numbers jump. This also works for included and extended templates, without a second
rendering.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.language.yaml.document import Anchor

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARK: Final = re.compile("\x00([0-9]+):([0-9]+)\x01")


def mark(file_number: int, line: int) -> str:
    """Return the mark of a line."""
    return f"\x00{file_number}:{line}\x01"


def take_out_marks(text: str, paths: Mapping[int, str]) -> tuple[str, tuple[Anchor, ...]]:
    """Return the text without marks, and anchors that say where its lines come from.

    Args:
        text: a rendering.
        paths: file paths by the number used in marks.
    """
    pieces = _MARK.split(text)
    anchors: list[Anchor] = []
    rendered_line = 1
    at_line_start = True
    plain: list[str] = []
    for index, piece in enumerate(pieces):
        match index % 3:
            case 0:
                plain.append(piece)
                if piece:
                    rendered_line += piece.count("\n")
                    at_line_start = piece.endswith("\n")
            case 2:
                path, line = paths[int(pieces[index - 1])], int(piece)
                _add_anchor(anchors, Anchor(rendered_line, path, line), at_line_start=at_line_start)
            case _:
                pass
    return "".join(plain), tuple(anchors)


def without_marks(text: str) -> str:
    """Return the text without marks."""
    return _MARK.sub("", text) if "\x00" in text else text


def _add_anchor(anchors: list[Anchor], anchor: Anchor, *, at_line_start: bool) -> None:
    if anchors:
        last = anchors[-1]
        foreseen = last.line + anchor.rendered_line - last.rendered_line
        if last.path == anchor.path and foreseen == anchor.line:
            return
        if last.rendered_line == anchor.rendered_line:
            if at_line_start:
                anchors[-1] = anchor
                return
            # In the middle of a line: the line keeps its number, and the next one starts the new numbering.
            anchor = Anchor(anchor.rendered_line + 1, anchor.path, anchor.line + 1)
        elif last.rendered_line > anchor.rendered_line:
            anchors.pop()
            _add_anchor(anchors, anchor, at_line_start=at_line_start)
            return
        elif not at_line_start and last.path != anchor.path:
            # An included file dropped its last newline: its last line still belongs to it.
            anchor = Anchor(anchor.rendered_line + 1, anchor.path, anchor.line + 1)
    anchors.append(anchor)
