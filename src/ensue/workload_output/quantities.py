"""Quantities of Kubernetes: `500m`, `128Mi`, `1e3`.

Source: the API reference of Kubernetes, Quantity.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from ensue.workload_output.findings import text_of

_QUANTITY: Final = re.compile(
    r"(?P<number>[0-9]{1,18}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})(?P<unit>[a-zA-Z]{0,2}|[eE][-+]?[0-9]{1,2})"
)
_UNITS: Final = {
    "": Decimal(1), "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    "K": Decimal(1000),  # Score allows it as well as k
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}  # fmt: skip


def quantity(given: Any) -> Decimal | None:
    """Return a quantity as a number, None if it is not a quantity.

    Args:
        given: a text, or a number.
    """
    match = _QUANTITY.fullmatch(text_of(given).strip())
    if match is None:
        return None
    unit = match["unit"]
    if len(unit) > 1 and unit[0] in "eE" and unit != "Ei":
        return Decimal(match["number"]) * Decimal(f"1{unit}")
    return Decimal(match["number"]) * _UNITS[unit] if unit in _UNITS else None
