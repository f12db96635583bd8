"""`yaml`: text to data, as Salt reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.yaml import load_document

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Load YAML."""
    return stream.with_data(load_document(stream.document()))
