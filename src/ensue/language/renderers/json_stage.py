"""`json`: text to data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.diagnostics import Diagnostic
from ensue.errors import CompileError

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Load JSON; lines that begin with `#` are comments, as the pipe's own first line is."""
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in stream.text.split("\n"))
    if not text.strip():
        return stream.with_data(None)
    try:
        return stream.with_data(json.loads(text, object_pairs_hook=_mapping))
    except json.JSONDecodeError as error:
        span = stream.document().source_span(error.lineno, error.colno)
        raise CompileError(
            [Diagnostic(code="E0210", summary="this is not JSON", detail=error.msg, span=span)]
        ) from None
    except ValueError as error:
        span = stream.document().source_span(1)
        raise CompileError([Diagnostic(code="E0202", summary=str(error), span=span)]) from None


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        message = f"the key {twice!r} is there twice"
        raise ValueError(message)
    return mapping
