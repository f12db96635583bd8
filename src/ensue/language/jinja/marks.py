"""Marks in the literal text of Jinja templates, which give the source line of each rendered line.

Text in macros, captured blocks and filters gets none: a template may measure or compare it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes

from ensue.language.line_marks import mark

if TYPE_CHECKING:
    from collections.abc import Iterable


def insert_marks(template: nodes.Template, file_number: int) -> None:
    """Put marks in front of the literal text of a parsed template."""
    _mark_body(template.body, file_number)


def move_down(template: nodes.Template, lines: int) -> None:
    """Give the parsed template of a part of a file the line numbers of that file."""
    open_nodes: list[nodes.Node] = [template]
    moved: set[int] = set()
    while open_nodes:
        node = open_nodes.pop()
        # A node may be in the tree twice.
        if id(node) not in moved:
            moved.add(id(node))
            node.lineno = (node.lineno or 1) + lines
            open_nodes.extend(node.iter_child_nodes())


def _mark_body(body: Iterable[nodes.Node], file_number: int) -> None:
    for node in body:
        match node:
            case nodes.Output():
                for piece in node.nodes:
                    if isinstance(piece, nodes.TemplateData):
                        piece.data = mark(file_number, piece.lineno) + piece.data
            case nodes.If():
                _mark_body(node.body, file_number)
                _mark_body(node.elif_, file_number)
                _mark_body(node.else_, file_number)
            case nodes.For():
                _mark_body(node.body, file_number)
                _mark_body(node.else_, file_number)
            case nodes.With() | nodes.Scope() | nodes.ScopedEvalContextModifier():
                _mark_body(node.body, file_number)
            case _:
                pass
