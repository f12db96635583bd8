"""A canonical form of data, independent of the order of keys, for comparing and hashing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from ensue.model.data import with_text_keys


def canonical(data: Any) -> bytes:
    """Return data as bytes; equal data gives equal bytes."""
    try:
        return msgspec.json.encode(data, order="deterministic")
    except (TypeError, UnicodeEncodeError):
        # A key that is no text, which the arguments of a state may have; half of a surrogate pair, which only
        # JSON can bring.
        return json.dumps(with_text_keys(data), sort_keys=True, default=str).encode()


def digest(data: Any) -> str:
    """Return the SHA-256 of data, in hexadecimal."""
    return hashlib.sha256(canonical(data)).hexdigest()
