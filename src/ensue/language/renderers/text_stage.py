"""`text`: the text itself is the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.marks import without_marks

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Return the text."""
    return stream.with_data(without_marks(stream.text))
