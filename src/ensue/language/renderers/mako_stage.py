"""`mako`: text to text, if Mako is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.marks import without_authorship
from ensue.language.renderers.stage import Printing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.mako.render import MakoRenderer
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Render a Mako template."""
    padded = "\n" * (stream.first_line - 1) + without_authorship(stream.text)
    rendered = _renderer(stream).render(
        padded,
        stream.variables,
        path=stream.path,
        name=stream.name,
        guarded=stream.printing is not Printing.FREE,
    )
    return msgspec.structs.replace(
        stream.rendered(rendered.text),
        anchors=rendered.anchors,
        first_line=1,
        exported={**stream.exported, **rendered.exported},
        templates=(*stream.templates, *rendered.templates),
    )


def faults(stream: Stream) -> Sequence[Diagnostic]:
    """Return why a template does not compile."""
    padded = "\n" * (stream.first_line - 1) + stream.text
    try:
        _renderer(stream).compile(padded, stream.variables, path=stream.path, name=stream.name)
    except CompileError as error:
        return error.diagnostics
    return ()


def _renderer(stream: Stream) -> MakoRenderer:
    try:
        return stream.mako()
    except ImportError:
        raise CompileError(
            [
                Diagnostic(
                    code="E0213",
                    summary="the mako renderer needs Mako, which is not installed",
                    span=Span(stream.path, 1),
                    help="install ensue[mako]",
                )
            ]
        ) from None
