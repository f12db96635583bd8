"""The template whose rendering failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ensue.core.diagnostics import Span
from ensue.core.model.file_lines import file_lines
from ensue.language.jinja.missing_names import column_of_tag

if TYPE_CHECKING:
    from pathlib import Path

    import jinja2


class FailedTemplate(NamedTuple):
    """The template whose rendering failed.

    Args:
        environment: parses it.
        text: its text.
        first_line: the line of its file on which the text begins.
        roots: the folders of the SLS.
    """

    environment: jinja2.Environment
    text: str
    first_line: int
    roots: tuple[Path, ...]

    def span(self, path: str, line: int) -> Span:
        """Return the place of a tag.

        Args:
            path: the file.
            line: the line of the text, counted from 1.
        """
        number = line + self.first_line - 1
        return Span(path, number, column_of_tag(self.line(number)))

    def line(self, number: int) -> str:
        """Return a line of its file; empty if it is not in the text."""
        lines = file_lines(self.text)
        place = number - self.first_line
        return lines[place] if 0 <= place < len(lines) else ""
