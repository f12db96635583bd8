"""Finds the places of a `py` file's data: the lines on which its keys are written.

An ID that a function composes is written nowhere; then the nearest enclosing key counts, or the function
itself.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from ensue.language.yaml.document import YamlDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span


class PythonDocument(YamlDocument):
    """The source of a file in which a function has made the data.

    Args:
        path: the file, as messages show it.
        source: its text, from its first line on.
        line: the first line of the function.
    """

    makes_data = True

    __slots__ = ("_extent", "_line", "_lines")

    def __init__(self, path: str, source: str, line: int) -> None:
        super().__init__(path, source)
        self._line = line
        self._lines: dict[str, list[int]] | None = None
        self._extent = (0, len(source))

    def _walk(self, keys: Sequence[str | int]) -> tuple[Span, int, tuple[int, int] | None]:
        written, followed = self._written(), 0
        line = self._line
        for key in keys:
            if isinstance(key, int):
                followed += 1
                continue
            lines = written.get(key, ())
            at = bisect_left(lines, line)
            if at < len(lines):
                line, followed = lines[at], followed + 1
        return self.source_span(line), followed, self._extent

    def _written(self) -> dict[str, list[int]]:
        """Return the lines of each string in the function."""
        if self._lines is None:
            self._lines = {}
            function = _function_at(ast.parse(self.text), self._line)
            if function is not None:
                self._line = function.lineno
                starts = [0]
                for text in self.text.splitlines(keepends=True):
                    starts.append(starts[-1] + len(text))
                self._extent = (starts[function.lineno - 1], starts[function.end_lineno or function.lineno])
                for node in ast.walk(function):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        self._lines.setdefault(node.value, []).append(node.lineno)
            for lines in self._lines.values():
                lines.sort()
        return self._lines


def _function_at(module: ast.Module, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the innermost function that begins on a line, with its decorators or without."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= node.lineno:
                return node
    return None
