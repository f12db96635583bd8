"""`json`: text to data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.diagnostics import Diagnostic
from ensue.errors import CompileError
from ensue.language.json_containment import beyond_strings
from ensue.language.renderers.rendered_text import read_data

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream
    from ensue.language.yaml import YamlDocument


def render(stream: Stream, _arguments: str) -> Stream:
    """Load JSON; lines that begin with `#` are comments, as the pipe's own first line is."""
    return read_data(stream, _load, beyond_strings)


def _load(document: YamlDocument) -> Any:
    text = _without_comments(document.text)
    if not text.strip():
        return None
    try:
        return json.loads(text, object_pairs_hook=_mapping)
    except json.JSONDecodeError as error:
        span = document.source_span(error.lineno, error.colno)
        raise CompileError(
            [Diagnostic(code="E0210", summary="this is not JSON", detail=error.msg, span=span)]
        ) from None
    except ValueError as error:
        span = document.source_span(1)
        raise CompileError([Diagnostic(code="E0202", summary=str(error), span=span)]) from None


def _without_comments(text: str) -> str:
    return "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        message = f"the key {twice!r} is there twice"
        raise ValueError(message)
    return mapping
