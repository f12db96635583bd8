"""Fingerprints of the arguments of calls; a resumed run recognizes a call by them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENCODER: Final = msgspec.json.Encoder(enc_hook=str)

NO_FINGERPRINT: Final = -1
"""The fingerprint of arguments that contain a secret; a real one would help to guess the secret."""


def fingerprint(arguments: Mapping[str, Any]) -> int:
    """Return a fingerprint of a call's arguments, as a number."""
    return zlib.crc32(encoded(arguments)) if arguments else 0


def encoded(data: Any) -> bytes:
    """Return data as bytes; equal data gives equal bytes."""
    try:
        return _ENCODER.encode(data)
    except (TypeError, ValueError, OverflowError):
        # Data that JSON cannot express, such as keys that are not text.
        return repr(data).encode("utf-8", "backslashreplace")
