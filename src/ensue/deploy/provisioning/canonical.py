"""A canonical form of data, independent of the order of keys, for comparing and hashing."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import msgspec

from ensue.core.model.data import mapped, with_text_keys

_LARGEST: Final = 2**63
"""JSON has integers of 64 bits; a float beyond them stays one."""


def canonical(data: Any) -> bytes:
    """Return data as bytes; the same data gives the same bytes.

    `1` and `1.0` are different data, because a template writes them differently.
    """
    try:
        return msgspec.json.encode(data, order="deterministic")
    except (TypeError, UnicodeEncodeError):
        # A key that is not text, which arguments of a state may have; or half of a surrogate pair, which only
        # JSON can contain.
        return json.dumps(with_text_keys(data), sort_keys=True, default=str).encode()


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two data have the same values, whatever the order of keys; `1` and `1.0` are equal."""
    if canonical(first) == canonical(second):
        return True
    return canonical(mapped(first, _whole)) == canonical(mapped(second, _whole))


def digest(data: Any) -> str:
    """Return the SHA-256 of data, in hexadecimal."""
    return hashlib.sha256(canonical(data)).hexdigest()


def _whole(value: Any) -> Any:
    """Return a float that is a whole number as an integer, and any other value as it is."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST
    return int(value) if is_whole else value
