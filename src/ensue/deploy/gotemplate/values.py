"""The values of a template as Go sees them: kinds, types, truth, and text as bytes.

Go's strings are bytes; here they are text, in which a byte that is not UTF-8 is a lone surrogate.
"""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.printed_text import Serialized, Written
from ensue.core.model.secret_marks import open_class
from ensue.deploy.gotemplate.failures import CallError

_INT64_SPAN: Final = 1 << 64
_INT64_HALF: Final = 1 << 63


class Int64(int):
    """An integer that arithmetic returned; Go types it as `int64`, and literals and data as `int`."""

    __slots__ = ()


class GoObject:
    """A value with fields and methods, such as a version or a date."""

    type_name = "object"

    def field(self, name: str, arguments: list[Any]) -> Any:
        """Return a field, or the result of a method.

        Args:
            name: the field or method.
            arguments: the arguments of a method.

        Raises:
            CallError: there is no such field, or its arguments are wrong.
        """
        raise CallError(f"can't evaluate field {name} in type {self.type_name}, called with {len(arguments)}")


def wrapped(number: int) -> Int64:
    """Return an integer as 64 bits hold it: one that is too large wraps around."""
    if -_INT64_HALF <= number < _INT64_HALF:
        return Int64(number)
    return Int64((number + _INT64_HALF) % _INT64_SPAN - _INT64_HALF)


_KINDS: Final[dict[type, tuple[str, str]]] = {
    type(None): ("invalid", "<nil>"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    Int64: ("int64", "int64"),
    float: ("float64", "float64"),
    str: ("string", "string"),
    Written: ("string", "string"),
    Serialized: ("string", "string"),
    list: ("slice", "[]interface {}"),
    dict: ("map", "map[string]interface {}"),
}


def kind_of(value: Any) -> str:
    """Return the kind that Go's `reflect` has for a value, `invalid` for nil."""
    known = _KINDS.get(open_class(value))
    return known[0] if known else "struct"


def type_of(value: Any) -> str:
    """Return the name of a value's type in Go."""
    known = _KINDS.get(open_class(value))
    if known:
        return known[1]
    return value.type_name if isinstance(value, GoObject) else str(value.__class__.__name__)


def is_number(value: Any) -> bool:
    """Return whether a value is an integer or a float; a boolean is neither."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_true(value: Any) -> bool:
    """Return whether a value is true for `if`: anything but zero, nil and empty values."""
    return True if isinstance(value, GoObject) else bool(value)


def to_bytes(text: str) -> bytes:
    """Return the bytes of a Go string."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def from_bytes(raw: bytes) -> str:
    """Return bytes as a string; `to_bytes` is the inverse."""
    return raw.decode("utf-8", "surrogateescape")


def byte_length(text: str) -> int:
    """Return the number of bytes of a string."""
    return len(text) if text.isascii() else len(to_bytes(text))
