"""The text of a template, with the environment that renders it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ensue.core.diagnostics import Span
from ensue.core.model.file_lines import file_lines
from ensue.language.jinja.missing_names import column_of_tag

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.language.jinja.environment import SaltJinjaEnvironment


class TemplateSource(NamedTuple):
    """The text of a template, with the environment that renders it.

    Args:
        environment: parses and compiles it.
        text: its text, without a line that sets options of the environment.
        first_line: the line of its file on which the text begins.
        roots: the folders of the SLS.
        kept: the line above such a line, which stays in the rendering.
    """

    environment: SaltJinjaEnvironment
    text: str
    first_line: int
    roots: tuple[Path, ...]
    kept: str = ""

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
