"""Literals of a template: numbers, quoted strings and character constants.

Source: the Go specification, "Lexical elements".
"""

from __future__ import annotations

import re
from typing import Final

from ensue.deploy.gotemplate.values import from_bytes, to_bytes

_INTEGER: Final = re.compile(
    r"[+-]?(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|0(_?[0-7])*|[1-9](_?[0-9])*)\Z"
)
_DECIMAL: Final = re.compile(r"[+-]?([0-9](_?[0-9])*)?(\.([0-9](_?[0-9])*)?)?([eE][+-]?[0-9](_?[0-9])*)?\Z")
_HEXADECIMAL: Final = re.compile(r"[+-]?0[xX]_?[0-9a-fA-F_]*(\.[0-9a-fA-F_]*)?[pP][+-]?[0-9]+\Z")
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))"
)
_SIMPLE: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_LARGEST_BYTE: Final = 255
_LARGEST_INT: Final = (1 << 63) - 1


def number(text: str) -> int | float | None:
    """Return the value of a number literal, None if it is not one.

    Args:
        text: `12`, `0x1F`, `1_000`, `1.5e3` or `0x1p4`, with or without a sign.
    """
    if _INTEGER.match(text):
        value = _integer(text)
        return value if -_LARGEST_INT - 1 <= value <= _LARGEST_INT else None
    try:
        if _HEXADECIMAL.match(text):
            return float.fromhex(text.replace("_", ""))
        if _DECIMAL.match(text) and any(mark in text for mark in "0123456789"):
            value_f = float(text.replace("_", ""))
            return None if value_f in {float("inf"), float("-inf")} else value_f
    except (ValueError, OverflowError):
        return None
    return None


def unquoted(literal: str) -> str | None:
    """Return the text of a string in double quotes, None if it has an escape that Go does not know.

    Args:
        literal: the string with its quotes.
    """
    return _unescaped(literal[1:-1], other_quote="'")


def character(literal: str) -> int | None:
    """Return the code point of a character in single quotes, None if there is not exactly one.

    Args:
        literal: the constant with its quotes.
    """
    text = _unescaped(literal[1:-1], other_quote='"')
    if text is None:
        return None
    raw = to_bytes(text)
    if len(text) == 1 and not "\ud800" <= text <= "\udfff":
        return ord(text)
    return raw[0] if len(raw) == 1 else None


def _integer(text: str) -> int:
    digits = text.replace("_", "").lstrip("+-")
    is_legacy_octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    value = int(digits, 8) if is_legacy_octal else int(digits, 0)
    return -value if text.startswith("-") else value


def _unescaped(body: str, *, other_quote: str) -> str | None:
    if "\\" not in body:
        return body
    parts: list[bytes] = []
    position = 0
    while True:
        slash = body.find("\\", position)
        if slash < 0:
            parts.append(to_bytes(body[position:]))
            return from_bytes(b"".join(parts))
        parts.append(to_bytes(body[position:slash]))
        match = _ESCAPE.match(body, slash)
        if match is None or match[1] == other_quote:
            return None
        byte = _escape_bytes(match)
        if byte is None:
            return None
        parts.append(byte)
        position = match.end()


def _escape_bytes(match: re.Match[str]) -> bytes | None:
    if match[1]:
        return _SIMPLE[match[1]].encode()
    if match[2] or match[3]:
        value = int(match[2], 8) if match[2] else int(match[3], 16)
        return bytes([value]) if value <= _LARGEST_BYTE else None
    try:
        return chr(int(match[4] or match[5], 16)).encode()
    except (ValueError, OverflowError, UnicodeEncodeError):
        return None
