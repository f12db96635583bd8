"""Marks in the literal text of Mako templates, which give the source line of each rendered line.

Jinja templates have the same marks; see `ensue.language.line_marks`. Text in `<%def>`, `<%block>` and other
tags gets none: a template may measure or compare it.
"""

# pyright: basic
# Mako has no types.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mako.lexer import Lexer
from mako.parsetree import Expression, Text

from ensue.language.authored import mark_signs
from ensue.language.line_marks import mark
from ensue.language.mako.printing import last_filter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Marker:
    """Marks templates; the number in a mark is the index of the file in `paths`.

    Args:
        shorten: makes an absolute path relative to the project.
    """

    def __init__(self, shorten: Callable[[str], str]) -> None:
        self.paths: list[str] = []
        self._shorten = shorten
        self._numbers: dict[str, int] = {}

    def lexer(self, path: str) -> type[Any]:
        """Return the lexer for a template of that file."""
        number = self._number(self._shorten(path))

        class MarkingLexer(Lexer):  # type: ignore[misc]
            def parse(self) -> Any:
                template = super().parse()
                _prepare(template.nodes)
                for node in template.nodes:
                    if isinstance(node, Text):
                        node.content = mark(number, node.lineno) + node.content
                return template

        return MarkingLexer

    def _number(self, shown: str) -> int:
        if shown not in self._numbers:
            self._numbers[shown] = len(self.paths)
            self.paths.append(shown)
        return self._numbers[shown]


def _prepare(nodes: Iterable[Any]) -> None:
    """Mark the signs in literal text and in strings of expressions; guard what expressions print."""
    for node in nodes:
        if isinstance(node, Text):
            node.content = mark_signs(node.content)
        elif isinstance(node, Expression):
            # Python has no such sign outside strings.
            node.text = mark_signs(node.text)
            node.escapes_code.args.append(last_filter(node.text, node.escapes_code.args))
        _prepare(getattr(node, "nodes", ()))
