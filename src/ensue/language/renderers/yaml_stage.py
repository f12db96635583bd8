"""`yaml`: text to data, as Salt reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.renderers.rendered_text import read_data
from ensue.language.yaml import load_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.language.renderers.stage import Stream
    from ensue.model.printed_text import Extent


def render(stream: Stream, _arguments: str) -> Stream:
    """Load YAML."""
    return read_data(stream, load_document, beyond_scalars)


def beyond_scalars(text: str, extents: Sequence[Extent]) -> Iterator[Extent]:
    """Yield the extents of printed values that are more than a part of one YAML scalar."""
    from ensue.language.yaml import fast
    from ensue.model import yaml_containment

    return yaml_containment.beyond_scalars(text, extents, fast.load)
