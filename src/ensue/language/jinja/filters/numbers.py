"""Filters between text, numbers and booleans: `to_num`, `is_hex`, `human_to_bytes`, `to_bool`.

Source: Salt's `jinja` and `stringutils` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.language.jinja.filters.kinds import is_hashable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SIZE: Final = re.compile(r"([0-9.]*)\s*(.*)$")
_UNIT: Final = re.compile(r"b|([kmgtpezy])(ib|b)?")
_PREFIXES: Final = "bkmgtpezy"


def to_num(text: Any) -> Any:
    """Return a text as an integer or a float; unchanged if it is neither."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def is_hex(text: Any) -> bool:
    """Return whether a text is a hexadecimal number."""
    try:
        int(text, 16)
    except (TypeError, ValueError):
        return False
    return True


def human_to_bytes(size: Any, default_unit: str = "B", handle_metric: bool = False) -> int:
    """Return how many bytes `2G`, `30MB` or `64KiB` are; 0 if it is not a size.

    Args:
        size: number and unit.
        default_unit: the unit of a number without one.
        handle_metric: `KB` is 1000 bytes instead of 1024.
    """
    match = _SIZE.match(str(size).strip())
    value = to_num(match[1]) if match else ""
    unit = _UNIT.fullmatch((match[2] if match else "").lower() or default_unit.lower())
    if unit is None or isinstance(value, str):
        return 0
    metric = handle_metric and unit[2] == "b"
    power = _PREFIXES.index(unit[0][0])
    return int(value * (1000**power if metric else 1024**power))


def to_bool(value: Any) -> bool:
    """Return whether a value means yes: `yes`, `1`, `true`, a number above 0, a list that is not empty."""
    if isinstance(value, str):
        return value.lower() in {"yes", "1", "true"}
    if isinstance(value, int):
        return value > 0
    return not is_hashable(value) and len(value) > 0


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "human_to_bytes": human_to_bytes,
    "is_hex": is_hex,
    "str_to_num": to_num,
    "to_bool": to_bool,
    "to_num": to_num,
}
"""Filters by the name that templates use."""
