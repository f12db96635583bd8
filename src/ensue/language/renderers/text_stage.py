"""`text`: the text itself is the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Return the text."""
    return stream.with_data(stream.text)
