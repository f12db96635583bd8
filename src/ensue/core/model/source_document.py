"""The interface of rendered files that finds the places of values for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Span


class SourceDocument(Protocol):
    """A file that was rendered; finds places in it for messages."""

    @property
    def path(self) -> str:
        """The file, relative to the project root if it is below it."""
        ...

    def locate(self, keys: Sequence[str | int]) -> Span:
        """Return the place of the value under this path of keys and indices, or of its nearest parent."""
        ...

    def locate_text(self, keys: Sequence[str | int], text: str) -> Span:
        """Return the place of a text within the value under this path, or of the value itself."""
        ...


class NoDocument:
    """A `SourceDocument` for values that come from no file."""

    path = ""

    def locate(self, keys: Sequence[str | int]) -> Span:  # noqa: ARG002 -- the contract's signature
        """Return a place without a file."""
        from ensue.core.diagnostics import Span

        return Span("")

    def locate_text(self, keys: Sequence[str | int], text: str) -> Span:  # noqa: ARG002 -- the contract's
        """Return a place without a file."""
        return self.locate(keys)


class Located(Protocol):
    """A declaration that knows its place in a file."""

    @property
    def document(self) -> SourceDocument:
        """The file."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead to it in that file."""
        ...
