"""`salt.utils.stringutils`: text and bytes."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

import fnmatch
import re
from typing import Any, Final

from ensue.language.salt_names.absent import not_there

_UNITS: Final = "bkmgtpezy"


def to_bytes(s: Any, encoding: str | None = None, errors: str = "strict") -> bytes:
    """Return text as bytes."""
    if s is None or isinstance(s, bytes):
        return s  # type: ignore[return-value]
    if isinstance(s, bytearray):
        return bytes(s)
    if isinstance(s, str):
        return s.encode(encoding or "utf-8", errors)
    raise TypeError(f"expected str, bytes, or bytearray not {type(s)}")


def to_str(s: Any, encoding: Any = None, errors: str = "strict", normalize: bool = False) -> str:
    """Return bytes as text."""
    del normalize
    if s is None or isinstance(s, str):
        return s  # type: ignore[return-value]
    if isinstance(s, (bytes, bytearray)):
        first = encoding[0] if isinstance(encoding, (tuple, list)) else encoding
        return bytes(s).decode(first or "utf-8", errors)
    raise TypeError(f"expected str, bytes, or bytearray not {type(s)}")


to_unicode = to_str


def to_num(text: Any) -> Any:
    """Return a text as a number, or unchanged if it is not one."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            continue
    return text


def to_none(text: Any) -> Any:
    """Return None for an empty or blank text."""
    return text if str(text).strip() else None


def is_hex(value: Any) -> bool:
    """Return whether a text is a hexadecimal number."""
    try:
        int(value, 16)
    except (TypeError, ValueError):
        return False
    return True


def is_quoted(value: str) -> str:
    """Return the quotation mark around a text, empty if there is none."""
    return value[0] if value[:1] in {'"', "'"} and len(value) > 1 and value[0] == value[-1] else ""


def dequote(value: str) -> str:
    """Return a text without the quotes around it."""
    return value[1:-1] if is_quoted(value) else value


def is_binary(data: Any) -> bool:
    """Return whether a string or bytes contain binary data."""
    return ("\0" in data) if isinstance(data, str) else (b"\0" in bytes(data or b""))


def contains_whitespace(text: str) -> bool:
    """Return whether a text contains whitespace."""
    return any(letter.isspace() for letter in text)


def human_to_bytes(size: str, default_unit: str = "B", **_options: Any) -> int:
    """Return a size with a unit in bytes; 0 if it is not a size.

    Args:
        size: `10`, `10k`, `10 MiB`.
        default_unit: the unit of a number without a unit.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(size))
    if match is None:
        return 0
    unit = (match[2] or default_unit).lower().removesuffix("ib").removesuffix("b") or "b"
    return int(float(match[1]) * 1024 ** _UNITS.index(unit)) if unit in _UNITS else 0


def expr_match(line: str, expr: str) -> bool:
    """Return whether a text equals an expression, or matches it as a glob or a regular expression."""
    if expr == line or fnmatch.fnmatch(line, expr):
        return True
    try:
        return re.fullmatch(expr, line) is not None
    except re.error:
        return False


def check_whitelist_blacklist(value: str, whitelist: Any = None, blacklist: Any = None) -> bool:
    """Return whether a text is on the whitelist, if there is one, and not on the blacklist."""
    allowed = [whitelist] if isinstance(whitelist, str) else list(whitelist or ())
    denied = [blacklist] if isinstance(blacklist, str) else list(blacklist or ())
    if any(expr_match(value, pattern) for pattern in denied):
        return False
    return not allowed or any(expr_match(value, pattern) for pattern in allowed)


__getattr__ = not_there(__name__)
