"""Finds the places of states whose IDs are shorter in the SLS than in its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.yaml.document import YamlDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.stateconf.rewriting import Rewritten

_REQUIRE: Final = "require"


def rewritten_document(document: YamlDocument, rewritten: Rewritten) -> YamlDocument:
    """Return the document of an SLS, in which places are found by the names of the rewritten data."""
    kind = _RewrittenProgramDocument if document.makes_data else _RewrittenDocument
    return kind(document, rewritten)


class _RewrittenDocument(YamlDocument):
    """Looks up places of rewritten data in the document that the data was read from."""

    __slots__ = ("_original", "_rewritten")

    def __init__(self, original: YamlDocument, rewritten: Rewritten) -> None:
        super().__init__(original.path, original.text)
        self._original = original
        self._rewritten = rewritten

    def source_span(self, rendered_line: int, column: int = 0) -> Span:
        return self._original.source_span(rendered_line, column)

    def locate(self, keys: Sequence[str | int]) -> Span:
        return self._original.locate(self._written(keys))

    def locate_text(self, keys: Sequence[str | int], text: str) -> Span:
        return self._original.locate_text(self._written(keys), text)

    def find(self, keys: Sequence[str | int]) -> Span | None:
        return self._original.find(self._written(keys))

    def _written(self, keys: Sequence[str | int]) -> list[str | int]:
        """Return a path as it is in the file."""
        written = list(keys)
        for index in range(1 if written[:1] != ["extend"] else 2):
            if index < len(written):
                written[index] = self._rewritten.written.get(str(written[index]), written[index])
        if written[2:3] == [_REQUIRE] and tuple(written[:2]) in self._rewritten.chained:
            written[3:4] = [max(entry - 1, 0) for entry in written[3:4] if isinstance(entry, int)]
        return written


class _RewrittenProgramDocument(_RewrittenDocument):
    """Looks up places of rewritten data that a program has made."""

    makes_data = True

    __slots__ = ()
