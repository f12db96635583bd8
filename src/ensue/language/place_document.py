"""One place of a file as the document of a state that the compiler adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ensue.language.yaml.document import TextDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span


class PlaceDocument(TextDocument):
    """A document in which everything is at the same place."""

    __slots__ = ()

    @classmethod
    def at(cls, place: Span) -> Self:
        """Return the document of a place."""
        return cls(place.path, "", first_line=place.line)

    def locate(self, keys: Sequence[str | int]) -> Span:  # noqa: ARG002 -- there is only one place
        """Return the place."""
        return self.source_span(1)
