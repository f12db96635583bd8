"""What `{{ mapping }}` prints: mappings in a form that YAML reads back, ordered ones like plain ones.

Source: Salt's Jinja renderer, 3008 (Jinja's `finalize`); results measured there, code our own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.language.authored_text import authored_levels, is_authored
from ensue.language.jinja.filters.kinds import is_mapping
from ensue.language.printed_values import guarded, guarded_data

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTAINERS: Final[frozenset[type]] = frozenset({list, tuple, set})


def printed_safely(value: Any, text: Any) -> str:
    """Return the text printed for a value into YAML or JSON: one value, or text with guards.

    Args:
        value: the value.
        text: the result of `printable` for it.
    """
    if is_mapping(value) or isinstance(value, list):
        flow = _flow(value, str(text))
        return flow if is_authored(value) else guarded_data(flow, authored_levels(value))
    if isinstance(text, str) and text is value:
        return guarded(text)
    return str(text) if is_authored(value) else guarded(str(text))


def _flow(value: Any, text: str) -> str:
    """Return a list or mapping as YAML reads it: in Python's form, unless that escapes a quote."""
    return json.dumps(value, default=str, ensure_ascii=False) if "\\'" in text else text


def printable(value: Any) -> Any:
    """Return what Salt prints for a value: a text, or another value that Python prints as Salt does."""
    if isinstance(value, str):
        return value
    if is_mapping(value):
        return _mapping(value, str)
    return _nested(value)


def _nested(value: Any) -> Any:
    """Return the text of a list, tuple or set that is not empty; any other value unchanged."""
    # A subclass may print itself differently.
    match type(value).__name__ if type(value) in _CONTAINERS and value else "":
        case "list":
            return f"[{_items(value)}]"
        case "tuple":
            return f"({_items(value)},)" if len(value) == 1 else f"({_items(value)})"
        case "set":
            return f"{{{_items(value)}}}"
        case _:
            return value


def _items(values: Any) -> str:
    return ", ".join(_mapping(value, repr) if is_mapping(value) else _text(value, repr) for value in values)


def _mapping(value: Any, form: Callable[[Any], str]) -> str:
    return "{" + ", ".join(f"{key!r}: {_value(item, form)}" for key, item in value.items()) + "}"


def _value(value: Any, form: Callable[[Any], str]) -> str:
    if isinstance(value, str):
        # Python writes \n in single quotes, where YAML reads two characters.
        wide = any(character in value for character in "\n\r\t")
        return _double_quoted(value) if wide else repr(value)
    return _mapping(value, form) if is_mapping(value) else _text(value, form)


def _text(value: Any, form: Callable[[Any], str]) -> str:
    return form(_nested(value)) if _nested(value) is value else _nested(value)


def _double_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
