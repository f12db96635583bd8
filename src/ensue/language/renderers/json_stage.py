"""`json`: text to data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.core.model.bounded_json import load_json
from ensue.core.model.data_bounds import MOST_DIGITS, DataBoundError
from ensue.language.data_faults import bound_fault
from ensue.language.json_containment import beyond_strings
from ensue.language.renderers.rendered_text import read_data

if TYPE_CHECKING:
    from ensue.core.diagnostics import Span
    from ensue.language.renderers.stage import Stream
    from ensue.language.yaml import YamlDocument


def render(stream: Stream, _arguments: str) -> Stream:
    """Load JSON; lines that begin with `#` are comments, as the pipe's own first line is."""
    return read_data(stream, load_json_document, beyond_strings)


def load_json_document(document: YamlDocument) -> Any:
    """Return the data of a document that is JSON; lines that begin with `#` are comments.

    Raises:
        CompileError: it is not JSON, is beyond a bound, or a mapping has one key twice; with the place.
    """
    text = _without_comments(document.text)
    if not text.strip():
        return None
    try:
        return load_json(text, object_pairs_hook=_mapping)
    except json.JSONDecodeError as error:
        span = document.source_span(error.lineno, error.colno)
        raise _refused("E0210", "this is not JSON", span, error.msg) from None
    except DataBoundError as error:
        raise bound_fault(error, document.source_span(1)) from None
    except _DuplicateKeyError as error:
        raise _refused("E0202", str(error), document.source_span(1)) from None
    except ValueError:
        detail = f"an integer has more than {MOST_DIGITS:,} digits"
        raise _refused("E0210", "this is not JSON", document.source_span(1), detail) from None


def _refused(code: str, summary: str, span: Span, detail: str = "") -> CompileError:
    return CompileError([Diagnostic(code=code, summary=summary, detail=detail, span=span)])


class _DuplicateKeyError(ValueError):
    """A mapping has one key twice."""


def _without_comments(text: str) -> str:
    return "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _DuplicateKeyError(f"the key {twice!r} appears twice")
    return mapping
