"""Prints `${ … }` in a Mako template whose text is read as YAML or JSON: one value, or text with guards.

Mako has no serializers. A text that is a whole JSON value, as `json.dumps` returns it, counts as one value.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Final

from ensue.language.printed_values import guarded

is_guarded: Final[ContextVar[bool]] = ContextVar("ensue_mako_is_guarded", default=False)
"""Whether the rendering's values are guarded."""

NAME: Final = "_ensue_printed"
"""The filter of every expression in a template, after its own filters."""

IMPORT: Final = f"from {__name__} import printed as {NAME}"


def printed(text: str) -> str:
    """Return a text as it is printed."""
    return text if not is_guarded.get() or _is_json(text) else guarded(text)


def _is_json(text: str) -> bool:
    if text[:1] not in ("[", "{", '"'):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
