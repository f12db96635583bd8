"""Insert values into a text after it is rendered.

A state's argument may be a template with references in it. Their values are data that no renderer may
interpret. The renderer sees an unguessable placeholder per line; after the rendering, the line replaces the
placeholder. Numbers, true, false and null are harmless to every renderer and are inserted beforehand.
"""

from __future__ import annotations

import os
import re
from typing import Any

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, mapped


class Insertions:
    """The values of one run, by the placeholders that the renderers see."""

    def __init__(self) -> None:
        # Letters and digits alone: renderers and filters leave them as they are, except for their case.
        self._word = f"bound{os.urandom(16).hex()}n"
        self._stand_in = re.compile(rf"{self._word}(\d+)e", re.IGNORECASE)
        self._lines: list[str] = []
        self._known: dict[str, str] = {}

    def held(self, value: Any) -> Any:
        """Return a value for a template, with a placeholder for each line of the texts in it.

        Line ends stay where they are, so that the template has the lines that the text has.

        Args:
            value: data; items of a list are converted, and bytes that are not text are returned unchanged.
        """
        if isinstance(value, bytes):
            try:
                value = value.decode()
            except UnicodeDecodeError:
                return value
        if isinstance(value, str):
            return "".join(map(self._held_line, value.splitlines(keepends=True)))
        return [self.held(item) for item in value] if is_list(value) else value

    def inserted(self, rendered: Any) -> Any:
        """Return a rendered text, or rendered data, with placeholders replaced by their values."""
        if not self._lines:
            return rendered
        return mapped(rendered, self._filled, self._filled)

    def _filled(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return self._stand_in.sub(lambda match: self._lines[int(match[1])], value)

    def check(self, template: str, name: str) -> None:
        """Refuse a Jinja template whose expressions would compute with a placeholder.

        Raises:
            StateFailedError: there is one within `{{ … }}` or `{% … %}`.
        """
        if not self._stand_in.search(template):
            return
        import jinja2

        try:
            for line, kind, text in jinja2.Environment().lex(template):  # noqa: S701 -- nothing is rendered here
                if kind not in {"data", "comment"} and self._stand_in.search(text):
                    raise StateFailedError(
                        f"{name}, line {line}: there is a reference within an expression of a template, and "
                        "its value is inserted after the rendering (pass it as a variable, in `context`)"
                    )
        except jinja2.TemplateSyntaxError:
            # Rendering reports the error with its place.
            return

    def clear(self) -> None:
        """Discard all values at the end of the run."""
        self._lines.clear()
        self._known.clear()

    def _held_line(self, line: str) -> str:
        text = line.splitlines()[0]
        if not text:
            return line
        if text not in self._known:
            self._known[text] = f"{self._word}{len(self._lines)}e"
            self._lines.append(text)
        return self._known[text] + line[len(text) :]
