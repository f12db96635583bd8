"""`mako`: text to text, when Mako is installed."""

# pyright: basic
# Mako has no types and may not be installed.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.diagnostics import Diagnostic, Span
from ensue.errors import CompileError

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Render a Mako template."""
    template, error_details = _mako(stream.path)
    padded = "\n" * (stream.first_line - 1) + stream.text
    try:
        # Strict: an undefined name is an error, as it is in Jinja here.
        text = template(padded, strict_undefined=True).render(**stream.variables)
    except Exception as error:  # noqa: BLE001 -- the user's template: anything may come
        raise CompileError(
            [
                Diagnostic(
                    code="E0212",
                    summary="a Mako template could not be rendered",
                    detail=f"{type(error).__name__}: {error}",
                    span=Span(stream.path, int(error_details(error))),
                )
            ]
        ) from None
    return msgspec.structs.replace(stream, text=text, first_line=1)


def _mako(path: str) -> tuple[Any, Any]:
    try:
        from mako.exceptions import RichTraceback
        from mako.template import Template
    except ImportError:
        raise CompileError(
            [
                Diagnostic(
                    code="E0213",
                    summary="the mako renderer needs Mako, which is not installed",
                    span=Span(path, 1),
                    help="install ensue[mako]",
                )
            ]
        ) from None

    def line_of(error: Exception) -> int:
        known = getattr(error, "lineno", None)
        return int(known if known is not None else RichTraceback(error=error).lineno or 0)

    return Template, line_of
