"""One spelling for equal data, whatever the order of its keys: to compare by and to hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec


def canonical(data: Any) -> bytes:
    """Return data as bytes that are the same for equal data."""
    try:
        return msgspec.json.encode(data, order="deterministic")
    except UnicodeEncodeError:
        # Half of a surrogate pair, which only JSON can bring; its keys are text.
        return json.dumps(data, sort_keys=True, default=str).encode()


def digest(data: Any) -> str:
    """Return the SHA-256 of data, in hexadecimal."""
    return hashlib.sha256(canonical(data)).hexdigest()
