"""`jinja`: text to text. A text without any Jinja in it passes untouched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Render a template."""
    text = stream.text
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return stream
    # A block keeps its file's numbering: the lines above it are put back as blank ones.
    padded = "\n" * (stream.first_line - 1) + text
    rendered = stream.jinja().render(
        padded, stream.variables, path=stream.path, name=stream.name, export=True
    )
    return msgspec.structs.replace(
        stream, text=rendered.text, anchors=rendered.anchors, exported=rendered.exported or {}, first_line=1
    )
