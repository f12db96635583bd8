"""`yamlex`: YAML whose values may be marked `!aggregate` and whose keys may be marked `!reset`.

A key may occur several times: all marked values count, of others the last one counts, and `!reset key`
discards the values before it.

Source: Salt's `yamlex` renderer, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.language.renderers.rendered_text import read_data
from ensue.language.yaml.containment import beyond_scalars
from ensue.language.yaml.extended import load
from ensue.language.yaml.faults import faults_of

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream
    from ensue.language.yaml import YamlDocument


def render(stream: Stream, _arguments: str) -> Stream:
    """Load YAML with these marks."""
    return read_data(stream, _load, beyond_scalars)


def _load(document: YamlDocument) -> Any:
    with faults_of(document):
        return load(document.text)
