"""Numbers, and conversions to them.

Source: Sprig's documentation, "Integer Math", "Float Math", "Integer Slice" and "Type Conversion Functions".
"""

from __future__ import annotations

import math
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from typing import TYPE_CHECKING, Any, Final

from ensue.deploy.gotemplate import literals
from ensue.deploy.gotemplate.failures import CallError, check_items
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.printing import printed
from ensue.deploy.gotemplate.values import Int64, is_number, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PRECISION: Final = 16
_OCTAL: Final = 8


def integer_of(value: Any) -> int:
    """Return a value as an integer, 0 if it is not a number.

    Args:
        value: a number, a boolean, or a string as Go writes integers.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        number = literals.number(value)
        return number if isinstance(number, int) else 0
    if isinstance(value, float) and not abs(value) < 1 << 63:  # too large, or not a number
        return -(1 << 63)
    return int(value) if is_number(value) else 0


def float_of(value: Any) -> float:
    """Return a value as a float, 0 if it is not a number.

    Args:
        value: a number, a boolean, or a string.
    """
    if isinstance(value, str):
        try:
            return float(value) if value.strip() == value and "_" not in value else 0.0
        except ValueError:
            return 0.0
    return float(value) if isinstance(value, (int, float)) else 0.0


def _atoi(text: str) -> int:
    return int(text) if text.lstrip("+-").isdecimal() and text.isascii() and "_" not in text else 0


def _to_decimal(value: Any) -> Int64:
    try:
        return wrapped(int(printed(value), _OCTAL))
    except ValueError:
        return Int64(0)


def _add(*values: Any) -> Int64:
    return wrapped(sum(map(integer_of, values)))


def _div(first: Any, second: Any) -> Int64:
    dividend, divisor = integer_of(first), integer_of(second)
    if divisor == 0:
        raise CallError("a division by zero")
    quotient = abs(dividend) // abs(divisor)
    return wrapped(quotient if (dividend < 0) == (divisor < 0) else -quotient)


def _mod(first: Any, second: Any) -> Int64:
    dividend, divisor = integer_of(first), integer_of(second)
    if divisor == 0:
        raise CallError("a division by zero")
    rest = abs(dividend) % abs(divisor)
    return wrapped(-rest if dividend < 0 else rest)


def _mul(*values: Any) -> Int64:
    product = Int64(1)
    for value in values:
        product = wrapped(product * integer_of(value))
    return product


def _max(*values: Any) -> Int64:
    return wrapped(max(map(integer_of, values)))


def _min(*values: Any) -> Int64:
    return wrapped(min(map(integer_of, values)))


def _maxf(*values: Any) -> float:
    return max(map(float_of, values))


def _minf(*values: Any) -> float:
    return min(map(float_of, values))


def _floor(value: Any) -> float:
    number = float_of(value)
    return float(math.floor(number)) if math.isfinite(number) else number


def _ceil(value: Any) -> float:
    number = float_of(value)
    return float(math.ceil(number)) if math.isfinite(number) else number


def _round(value: Any, places: int, *threshold: float) -> float:
    scale = math.pow(10, places)
    digit = scale * float_of(value)
    if not math.isfinite(digit):
        return digit
    part = math.modf(digit)[0]
    return (math.ceil(digit) if part >= (threshold[0] if threshold else 0.5) else math.floor(digit)) / scale


def _decimal(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., float]:
    def call(*values: Any) -> float:
        result = Decimal(repr(float_of(values[0])))
        with localcontext(prec=40):
            for value in values[1:]:
                try:
                    result = operation(result, Decimal(repr(float_of(value))))
                except (DivisionByZero, InvalidOperation):
                    raise CallError("a division by zero, or a number that is none") from None
        return float(result) + 0.0  # no negative zero, as in Sprig's decimals

    return call


def _quotient(first: Decimal, second: Decimal) -> Decimal:
    return (
        (first / second).quantize(Decimal(1).scaleb(-_PRECISION))
        if abs(first) < abs(second) * 10**20
        else first / second
    )


_addf: Final = _decimal(Decimal.__add__)


def _until_step(start: int, stop: int, step: int) -> list[int]:
    if step == 0 or (stop < start) != (step < 0):
        return []
    steps = range(start, stop, step)
    check_items(len(steps))
    return list(steps)


def _seq(*bounds: int) -> str:
    if not bounds or len(bounds) > 3:  # noqa: PLR2004 -- begin, step and end
        return ""
    start = bounds[0] if len(bounds) > 1 else 1
    end = bounds[len(bounds) - 1]
    direction = -1 if end < start else 1
    step = bounds[1] if len(bounds) == 3 else direction  # noqa: PLR2004 -- same
    if direction < 0 < step:
        return ""
    return " ".join(map(str, _until_step(start, end + direction, step)))


NUMERIC_FUNCTIONS: Final[Mapping[str, Function]] = {
    "add": function(_add, "a*"),
    "add1": function(lambda value: wrapped(integer_of(value) + 1), "a"),
    "add1f": function(lambda value: _addf(value, 1), "a"),
    "addf": function(_addf, "aa*"),
    "atoi": function(_atoi, "s"),
    "biggest": function(_max, "aa*"),
    "ceil": function(_ceil, "a"),
    "div": function(_div, "aa"),
    "divf": function(_decimal(_quotient), "aa*"),
    "float64": function(float_of, "a"),
    "floor": function(_floor, "a"),
    "int": function(lambda value: int(wrapped(integer_of(value))), "a"),
    "int64": function(lambda value: wrapped(integer_of(value)), "a"),
    "max": function(_max, "aa*"),
    "maxf": function(_maxf, "aa*"),
    "min": function(_min, "aa*"),
    "minf": function(_minf, "aa*"),
    "mod": function(_mod, "aa"),
    "mul": function(_mul, "aa*"),
    "mulf": function(_decimal(Decimal.__mul__), "aa*"),
    "round": function(_round, "aif*"),
    "seq": function(_seq, "i*"),
    "sub": function(lambda first, second: wrapped(integer_of(first) - integer_of(second)), "aa"),
    "subf": function(_decimal(Decimal.__sub__), "aa*"),
    "toDecimal": function(_to_decimal, "a"),
    "until": function(lambda count: _until_step(0, count, -1 if count < 0 else 1), "i"),
    "untilStep": function(_until_step, "iii"),
}
"""The functions by name."""
