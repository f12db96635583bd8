"""The texts that authors wrote, to decide whether a printed value may change the structure of a file.

A piece of a pillar file, or of the template itself, may hold any structure, as in Salt. So may quotes that
an author wrote inside quotes, around what a template prints: the value of `path: '''{{ folder }}x'''` in
pillar is a text in quotes. Everything else that a template prints comes from a host, a command or a store.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_ESCAPE: Final = re.compile(r"""\\(["'\\/])""")
"""Characters that need a backslash in a double-quoted scalar although they mean themselves."""

_QUOTED_PRINT: Final = re.compile(
    r"""(?P<quote>''|\\")(?P<before>[^'"\\\n{]*)\{\{[^\n]*?\}\}(?P<behind>[^'"\\\n{]*)(?P=quote)"""
)
"""A text in quotes within quotes, on one line, with something that a template prints."""


class AuthoredTexts:
    """The texts that authors wrote for one rendering; read on first use.

    Args:
        source: the template.
        templates: the files of the templates that it pulled in.
        elsewhere: returns further texts: the files of pillar.
    """

    def __init__(self, source: str, templates: Sequence[str], elsewhere: Callable[[], Iterable[str]]) -> None:
        self._source = source
        self._templates = templates
        self._elsewhere = elsewhere
        self._texts: list[str] | None = None

    def holds(self, value: str) -> bool:
        """Return whether a value is part of an author's text, apart from blanks."""
        if self._texts is None:
            self._texts = [_without_layout(form) for text in self._sources() for form in _forms(text)]
        sought = _without_layout(value)
        return any(sought in text for text in self._texts) or self._has_authored_quotes(sought)

    def _has_authored_quotes(self, value: str) -> bool:
        """Return whether a value is a text in quotes that an author wrote around what a template prints."""
        quote = value[:1]
        return quote in ("'", '"') and any(
            found["quote"][-1] == quote and _may_become(found, value)
            for text in self._sources()
            for found in _QUOTED_PRINT.finditer(text)
        )

    def _sources(self) -> Iterator[str]:
        # As a string in a template may write them.
        yield self._source.replace("\\n", " ").replace("\\t", " ")
        for path in self._templates:
            yield Path(path).read_text(encoding="utf-8", errors="replace")
        yield from self._elsewhere()


def _forms(text: str) -> Iterator[str]:
    """Yield a text as it is written, and as YAML reads the escapes of its quoted scalars."""
    yield text
    if "''" in text:
        yield text.replace("''", "'")
    if "\\" in text:
        yield _ESCAPE.sub(r"\1", text)


def _may_become(written: re.Match[str], value: str) -> bool:
    """Return whether a text in quotes becomes the value when text without quotes is printed into it."""
    before, behind, quote = re.escape(written["before"]), re.escape(written["behind"]), value[0]
    return re.fullmatch(rf"{quote}{before}[^'\"\\\n]*{behind}{quote}", value) is not None


def _without_layout(text: str) -> str:
    return " ".join(text.split())
