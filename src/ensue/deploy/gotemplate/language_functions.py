"""The functions that are built into Go's `text/template`.

Source: the documentation of Go's `text/template`, "Functions".
"""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.gotemplate.comparison import equal, is_less
from ensue.deploy.gotemplate.failures import CallError, check_chars
from ensue.deploy.gotemplate.formatting import byte_at, byte_slice, formatted
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.printing import printed, sprint
from ensue.deploy.gotemplate.values import byte_length, from_bytes, is_true, to_bytes, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_HTML: Final = str.maketrans(
    {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"}
)
_JS: Final = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "<": "\\u003C",
    ">": "\\u003E",
    "&": "\\u0026",
    "=": "\\u003D",
}


def _len(value: Any) -> int:
    if isinstance(value, str):
        return byte_length(value)
    if is_list(value) or is_mapping(value):
        return len(value)
    raise CallError(
        f"len of {'nil' if value is None else type_of(value)}", help="Give it a string, list or mapping"
    )


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        value = _member(value, key)
    return value


def _member(value: Any, key: Any) -> Any:
    if is_mapping(value):
        return value.get(key) if isinstance(key, str) else None
    if isinstance(value, str):
        return byte_at(value, _position(key, byte_length(value)))
    if is_list(value):
        return value[_position(key, len(value))]
    raise CallError(f"{'nil' if value is None else type_of(value)} has no members")


def _position(key: Any, size: int) -> int:
    if not isinstance(key, int) or isinstance(key, bool):
        raise CallError(f"a list is indexed with an integer, not {type_of(key)}")
    if not 0 <= key < size:
        raise CallError(f"the index {key} is out of range", help=f"There are {size} items, counted from 0")
    return key


def _html(*values: Any) -> str:
    return sprint(values).translate(_HTML)


def _js(*values: Any) -> str:
    return "".join([_js_character(character) for character in sprint(values)])


def _js_character(character: str) -> str:
    known = _JS.get(character)
    if known:
        return known
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}"


def _urlquery(*values: Any) -> str:
    return urllib.parse.quote_plus(to_bytes(sprint(values)), safe="~")


def _call(value: Any, *_arguments: Any) -> Any:
    raise CallError(f"{type_of(value)} is not a function")


def _eq(first: Any, *others: Any) -> bool:
    if not others:
        raise CallError("there is nothing to compare with", help="Give it at least two values")
    return any([equal(first, other) for other in others])  # noqa: C419 -- all are checked, as in Go


def _le(first: Any, second: Any) -> bool:
    return is_less(first, second) or equal(first, second)


def _print(*values: Any) -> str:
    return sprint(values)


def _println(*values: Any) -> str:
    return " ".join([printed(value) for value in values]) + "\n"


def _never(*_values: Any) -> Any:  # pragma: no cover -- the evaluator handles these before their arguments
    raise CallError("it is decided by the evaluator")


def sliced(value: Any, *bounds: int) -> Any:
    """Return a slice of a string or list.

    Args:
        value: the string or list.
        bounds: where it begins and ends, both optional.

    Raises:
        CallError: the bounds are out of range, or the value is neither a string nor a list.
    """
    size = _len(value) if isinstance(value, str) or is_list(value) else -1
    if size < 0:
        raise CallError(f"{type_of(value)} cannot be sliced", help="Give it a string or list")
    begin = bounds[0] if bounds else 0
    end = bounds[1] if len(bounds) > 1 else size
    if not 0 <= begin <= end <= size:
        raise CallError(f"the bounds {begin} and {end} are out of range", help=f"There are {size} items")
    return byte_slice(value, begin, end) if isinstance(value, str) else value[begin:end]


def _printf(pattern: str, *values: Any) -> str:
    text = formatted(pattern, *values)
    check_chars(len(text))
    return from_bytes(to_bytes(text)) if not text.isascii() else text


LANGUAGE_FUNCTIONS: Final[Mapping[str, Function]] = {
    "and": function(_never, "aa*"),
    "or": function(_never, "aa*"),
    "not": function(lambda value: not is_true(value), "a"),
    "len": function(_len, "a"),
    "index": function(_index, "aa*"),
    "slice": function(sliced, "ai*"),
    "print": function(_print, "a*"),
    "printf": function(_printf, "sa*"),
    "println": function(_println, "a*"),
    "html": function(_html, "a*"),
    "js": function(_js, "a*"),
    "urlquery": function(_urlquery, "a*"),
    "call": function(_call, "aa*"),
    "eq": function(_eq, "aa*"),
    "ne": function(lambda first, second: not equal(first, second), "aa"),
    "lt": function(is_less, "aa"),
    "le": function(_le, "aa"),
    "gt": function(lambda first, second: not _le(first, second), "aa"),
    "ge": function(lambda first, second: not is_less(first, second), "aa"),
}
"""The functions by name."""
