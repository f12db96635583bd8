"""`printf`: Go's verbs and flags.

Source: the documentation of Go's `fmt`. Complex numbers, pointers, and `%#v` of lists and mappings are not
supported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.gotemplate.failures import check_chars
from ensue.deploy.gotemplate.printing import check_bounded, general, nested_text, quoted, special
from ensue.deploy.gotemplate.values import from_bytes, is_number, to_bytes, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

_VERB: Final = re.compile(
    r"%(?P<flags>[#0+\- ]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?:\[(?P<index>\d+)\])?(?P<verb>.)?",
    re.DOTALL,
)
_MOST_WIDTH: Final = 1_000_000
_BASES: Final = {"d": "d", "b": "b", "o": "o", "x": "x", "X": "X", "O": "o"}
_PREFIXES: Final = {"x": "0x", "X": "0X", "o": "0", "b": "0b", "O": "0o"}


class _Verb(msgspec.Struct, frozen=True):
    letter: str
    flags: str
    width: int | None
    precision: int | None


def formatted(pattern: str, *values: Any) -> str:
    """Return a pattern with its verbs replaced by values.

    Args:
        pattern: text with verbs, such as `%-5s`.
        values: the values that the verbs print.
    """
    for value in values:
        if is_list(value) or is_mapping(value):
            check_bounded(value)
    return _Format(values).text(pattern)


class _Format:
    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = values
        self._position = 0
        self._is_reordered = False
        self._chars = 0

    def text(self, pattern: str) -> str:
        parts: list[str] = []
        end = 0
        for match in _VERB.finditer(pattern):
            parts.append(pattern[end : match.start()])
            piece = self._verb(match)
            self._chars += len(piece)
            check_chars(self._chars)
            parts.append(piece)
            end = match.end()
        parts.append(pattern[end:])
        if not self._is_reordered and self._position < len(self._values):
            extra = ", ".join(_typed(value) for value in self._values[self._position :])
            parts.append(f"%!(EXTRA {extra})")
        return "".join(parts)

    def _verb(self, match: re.Match[str]) -> str:
        flags = match["flags"]
        width = self._number(match["width"])
        precision = None if match["precision"] is None else self._number(match["precision"] or "0")
        if width == "bad" or precision == "bad":
            return "%!(BADWIDTH)"
        if isinstance(width, int) and width < 0:
            flags, width = flags + "-", -width
        letter = match["verb"]
        if letter is None:
            return "%!(NOVERB)"
        if letter == "%":
            return "%"
        if match["index"]:
            self._is_reordered = True
            self._position = int(match["index"]) - 1
        if not 0 <= self._position < len(self._values):
            return f"%!{letter}({'BADINDEX' if match['index'] else 'MISSING'})"
        value = self._values[self._position]
        self._position += 1
        verb = _Verb(letter, flags, width if isinstance(width, int) else None, _limited(precision))
        return _one(verb, value)

    def _number(self, text: str | None) -> int | str | None:
        if text != "*":
            return None if text is None else min(int(text[:9]), _MOST_WIDTH + 1)
        if self._position >= len(self._values):
            return "bad"
        value = self._values[self._position]
        self._position += 1
        is_width = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_WIDTH
        return int(value) if is_width else "bad"


def _limited(precision: int | str | None) -> int | None:
    return min(precision, 1000) if isinstance(precision, int) and precision >= 0 else None


def _one(verb: _Verb, value: Any) -> str:
    if verb.letter == "T":
        return _padded(verb, type_of(value))
    if value is None:
        return _padded(verb, "<nil>") if verb.letter == "v" else f"%!{verb.letter}(<nil>)"
    if is_list(value):
        return "[" + " ".join([_nested(verb, item) for item in value]) + "]"
    if is_mapping(value):
        pairs = [f"{_nested(verb, key)}:{_nested(verb, value[key])}" for key in sorted(value, key=str)]
        return "map[" + " ".join(pairs) + "]"
    for matches, letters, write in _WRITERS:
        if matches(value) and verb.letter in letters:
            return write(verb, value)
    return f"%!{verb.letter}({_typed(value)})"


def _nested(verb: _Verb, value: Any) -> str:
    return "<nil>" if value is None else _one(verb, value)


def _typed(value: Any) -> str:
    return "<nil>" if value is None else f"{type_of(value)}={nested_text(value)}"


def _padded(verb: _Verb, text: str, *, can_zero: bool = False) -> str:
    width = verb.width or 0
    check_chars(width)
    if len(text) >= width:
        return text
    if "-" in verb.flags:
        return text.ljust(width)
    if can_zero and "0" in verb.flags:
        sign = text[0] if text[:1] in {"-", "+", " "} else ""
        return sign + text[len(sign) :].rjust(width - len(sign), "0")
    return text.rjust(width)


def _string(verb: _Verb, value: Any) -> str:
    text = str(value)
    if verb.letter in {"x", "X"}:
        digits = to_bytes(text).hex(" ") if " " in verb.flags else to_bytes(text).hex()
        return _padded(verb, digits.upper() if verb.letter == "X" else digits)
    if verb.precision is not None:
        text = text[: verb.precision]
    if verb.letter == "q":
        can_be_raw = "#" in verb.flags and "`" not in text and text.isprintable()
        text = f"`{text}`" if can_be_raw else quoted(text, is_ascii="+" in verb.flags)
    elif verb.letter == "v" and "#" in verb.flags:
        text = quoted(text)
    return _padded(verb, text, can_zero=True)


def _boolean(verb: _Verb, value: Any) -> str:
    return _padded(verb, "true" if value else "false")


def _integer(verb: _Verb, value: Any) -> str:
    letter = "d" if verb.letter == "v" else verb.letter
    if letter in {"c", "q", "U"}:
        return _padded(verb, _code_point(letter, int(value)))
    digits = format(abs(int(value)), _BASES[letter])
    if verb.precision is not None:
        digits = digits.rjust(verb.precision, "0")
    if "#" in verb.flags or letter == "O":
        digits = _PREFIXES.get(letter, "") + digits
    text = _sign(verb, is_negative=value < 0) + digits
    return _padded(verb, text, can_zero=verb.precision is None)


def _code_point(letter: str, code: int) -> str:
    if letter == "U":
        return f"U+{code:04X}"
    code_point = chr(code) if 0 <= code <= 0x10FFFF and code not in range(0xD800, 0xE000) else "\ufffd"  # noqa: PLR2004 -- Unicode
    if letter == "c":
        return code_point
    inner = quoted(code_point)[1:-1]
    return "'" + {'\\"': '"', "'": "\\'"}.get(inner, inner) + "'"


def _sign(verb: _Verb, *, is_negative: bool) -> str:
    if is_negative:
        return "-"
    return "+" if "+" in verb.flags else " " if " " in verb.flags else ""


def _float(verb: _Verb, value: Any) -> str:
    number = float(value)
    odd = special(number)
    if odd:
        return _padded(verb, odd)
    is_negative = number < 0
    text = _sign(verb, is_negative=is_negative) + _float_digits(verb, abs(number))
    return _padded(verb, text, can_zero=True)


def _float_digits(verb: _Verb, number: float) -> str:
    letter = verb.letter
    if letter in {"v", "g", "G"}:
        text = general(number) if verb.precision is None else format(number, f".{verb.precision or 1}g")
    else:
        lower = "f" if letter in {"f", "F"} else "e"
        text = format(number, f".{6 if verb.precision is None else verb.precision}{lower}")
    return text.upper() if letter in {"E", "G"} else text


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_other(value: Any) -> bool:
    return not is_number(value) and not isinstance(value, bool)


_WRITERS: Final[tuple[tuple[Callable[[Any], bool], str, Callable[[_Verb, Any], str]], ...]] = (
    (_is_string, "vsqxX", _string),
    (_is_boolean, "vt", _boolean),
    (_is_integer, "vdboOxXcqU", _integer),
    (is_number, "vgGfFeE", _float),
    (_is_other, "vs", _string),
)


def byte_at(text: str, index: int) -> int:
    """Return a byte of a Go string.

    Args:
        text: the string.
        index: which byte, from 0.
    """
    return to_bytes(text)[index]


def byte_slice(text: str, begin: int, end: int) -> str:
    """Return bytes of a Go string, as a string.

    Args:
        text: the string.
        begin: the first byte.
        end: the byte after the last.
    """
    return text[begin:end] if text.isascii() else from_bytes(to_bytes(text)[begin:end])
