"""Values as text, as Go prints them: `map[a:1 b:2]`, `[1 2]`, `<nil>`, floats as `%v`.

Source: the documentation of Go's `fmt` and `strconv`.
"""

from __future__ import annotations

import math
import unicodedata
from decimal import Decimal
from typing import Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.values import GoObject

_FIRST_EXPONENT: Final = 6
_QUOTED: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def printed(value: Any) -> str:
    """Return a value as `%v` prints it.

    Args:
        value: any value of a template.

    Raises:
        CallError: it contains itself, or exceeds a limit.
    """
    if value.__class__ is str:
        return str(value)
    if is_list(value) or is_mapping(value):
        check_bounded(value)
    return nested_text(value)


def check_bounded(value: Any) -> None:
    """Refuse data that contains itself, or that would expand to more values than fit in memory.

    Args:
        value: any value of a template.

    Raises:
        CallError: it exceeds a limit.
    """
    try:
        check_data(value)
    except DataBoundError as error:
        raise CallError(str(error)) from None


def nested_text(value: Any) -> str:  # noqa: PLR0911 -- a return per kind of value
    """Return a value that `check_bounded` has accepted as `%v` prints it, also inside a list or mapping."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return general(value)
    if is_list(value):
        return "[" + " ".join([nested_text(item) for item in value]) + "]"
    if is_mapping(value):
        return "map[" + " ".join([f"{key}:{nested_text(value[key])}" for key in sorted(value, key=str)]) + "]"
    return str(value)


def special(value: float) -> str | None:
    """Return how Go prints NaN and infinities, None for any other float."""
    if math.isnan(value):
        return "NaN"
    return ("+Inf" if value > 0 else "-Inf") if math.isinf(value) else None


def general(value: float, *, first_exponent: int = _FIRST_EXPONENT, least_exponent: int = -4) -> str:
    """Return a float in the fewest digits that identify it.

    Args:
        value: the number.
        first_exponent: the lowest power of ten that is written with an exponent.
        least_exponent: the lowest power of ten that is written without one.
    """
    odd = special(value)
    if odd:
        return odd
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    body = "".join(map(str, digits))
    minus = "-" if sign else ""
    if power < least_exponent or power >= first_exponent:
        fraction = f".{body[1:]}" if len(body) > 1 else ""
        return f"{minus}{body[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if power < 0:
        return f"{minus}0.{'0' * (-power - 1)}{body}"
    if len(body) <= power + 1:
        return minus + body + "0" * (power + 1 - len(body))
    return f"{minus}{body[: power + 1]}.{body[power + 1 :]}"


def quoted(text: str, *, is_ascii: bool = False) -> str:
    """Return a text as `%q` prints it.

    Args:
        text: any text.
        is_ascii: whether characters beyond ASCII are escaped (`%+q`).
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join([_quoted_character(character, is_ascii=is_ascii) for character in text]) + '"'


def _quoted_character(character: str, *, is_ascii: bool) -> str:
    known = _QUOTED.get(character)
    if known:
        return known
    code = ord(character)
    if code in range(0xDC80, 0xDD00):  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if character == " " or (
        unicodedata.category(character) not in _UNPRINTABLE and (character.isascii() or not is_ascii)
    ):
        return character
    if code < 0x80:  # noqa: PLR2004 -- ASCII
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- one escape holds as much


def sprint(values: tuple[Any, ...]) -> str:
    """Return values as `print` does: with a space between two values if neither is a string."""
    parts: list[str] = []
    was_string = True
    for value in values:
        is_string = isinstance(value, str)
        if parts and not is_string and not was_string:
            parts.append(" ")
        parts.append(printed(value))
        was_string = is_string
    return "".join(parts)


def string_of(value: Any) -> str:
    """Return a value as text, as Sprig's `toString` does."""
    return value if isinstance(value, str) else str(value) if isinstance(value, GoObject) else printed(value)
