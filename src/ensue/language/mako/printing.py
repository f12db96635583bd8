"""Prints `${ … }` in a Mako template whose text is read as YAML or JSON: text with guards.

Mako has no serializers. An expression that is a call of `json.dumps` counts as one. Text that an author wrote
in pillar or options has no guards, and the filter `authored` makes any text an author's.
"""

from __future__ import annotations

import ast
import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ensue.language.authored_text import Authored, authored_levels
from ensue.language.marks import AUTHORED
from ensue.language.printed_values import guarded, guarded_data

if TYPE_CHECKING:
    from collections.abc import Sequence

is_guarded: Final[ContextVar[bool]] = ContextVar("ensue_mako_is_guarded", default=False)
"""Whether the rendering's values are guarded."""

NAMES: Final = ("_ensue_text", "_ensue_printed", "_ensue_dumped", "authored")
"""The names of the functions below in templates; authors use the last one."""

_TEXT, _PRINTED, _DUMPED, _WORD = NAMES

DEFAULT_FILTERS: Final = (_TEXT,)
"""The filter of every expression before its own: instead of `str`, which would lose the marks of authors."""

IMPORT: Final = (
    f"from {__name__} import text as {_TEXT}, printed as {_PRINTED}, dumped as {_DUMPED}, authored as {_WORD}"
)


def last_filter(expression: str, filters: Sequence[str]) -> str:
    """Return the filter of an expression after its own.

    Args:
        expression: its text.
        filters: its own filters.
    """
    return _DUMPED if not filters and _is_dump(expression) else _PRINTED


def text(value: Any) -> str:
    """Return a value as text."""
    return value if isinstance(value, Authored) else str(value)


def printed(value: str) -> str:
    """Return a text as it is printed."""
    return guarded(value) if is_guarded.get() else value


def dumped(value: str) -> str:
    """Return the result of `json.dumps` as it is printed; nothing says which keys in it are an author's."""
    return guarded_data(value, authored_levels(json.loads(value))) if is_guarded.get() else value


def authored(value: Any) -> str:
    """Return a text as that of an author."""
    return Authored(value)


def _is_dump(expression: str) -> bool:
    if "dumps" not in expression:
        return False
    try:
        node = ast.parse(expression.replace(AUTHORED, "").strip(), mode="eval").body
    except SyntaxError:
        return False
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="json"), attr="dumps")):
            return True
        case _:
            return False
