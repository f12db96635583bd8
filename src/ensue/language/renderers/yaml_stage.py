"""`yaml`: text to data, as Salt reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.renderers.rendered_text import read_data
from ensue.language.yaml import load_document
from ensue.language.yaml.containment import beyond_scalars

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Load YAML."""
    return read_data(stream, load_document, beyond_scalars)
