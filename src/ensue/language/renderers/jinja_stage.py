"""`jinja`: text to text. A text without Jinja passes unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.language.marks import without_authorship
from ensue.language.renderers.stage import Printing

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Render a template."""
    text = stream.text
    if not stream.jinja_settings.may_have_tags(text):
        return stream
    rendered = stream.jinja().render(
        without_authorship(text),
        stream.variables,
        path=stream.path,
        name=stream.name,
        first_line=stream.first_line,
        is_guarded=stream.printing is not Printing.FREE,
        is_file=stream.is_file and not stream.is_rendered and text == stream.source,
    )
    return msgspec.structs.replace(
        stream.rendered(rendered.text),
        anchors=rendered.anchors,
        exported={**stream.exported, **rendered.exported},
        templates=(*stream.templates, *rendered.templates),
    )
