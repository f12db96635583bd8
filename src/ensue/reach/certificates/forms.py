"""Detects the format of a file with certificates or keys by its first bytes.

These bytes contain no part of a private key: even in the shortest DER key they come before it.

Source: X.690 (DER), RFC 5208, RFC 7292 (PKCS#12), RFC 2315 (PKCS#7).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_HEAD_BYTES: Final = 7
_INTEGER: Final = 0x02
_OBJECT: Final = 0x06
_SEQUENCE: Final = 0x30
_LONG: Final = 0x80
_PKCS12_VERSION: Final = 3


class Form(enum.Enum):
    """The format of a file, as far as its beginning tells."""

    PEM = "pem"
    DER = "der"
    """A certificate, a request, a revocation list, a public key or an encrypted private key."""
    KEY = "key"
    """A private key in DER that is not encrypted."""
    PKCS7 = "pkcs7"
    PKCS12 = "pkcs12"
    OTHER = "other"


async def form_of(ctx: FunctionContext, path: str) -> Form:
    """Return the format of a file on the target; only its first bytes are read."""
    argv = ["head", "-c", str(_HEAD_BYTES), "--", path]
    done = await ctx.connection.run(Command(argv=argv, cwd="/"))
    return form_of_head(done.stdout)


def form_of_head(data: bytes) -> Form:
    """Return the format of a file's content; the first seven bytes suffice."""
    if data[:5] == b"-----":
        return Form.PEM
    if len(data) < _HEAD_BYTES or data[0] != _SEQUENCE:
        # PEM may be preceded by text.
        return Form.PEM if data[:_HEAD_BYTES].isascii() and data.strip() else Form.OTHER
    start = 2 + (data[1] & ~_LONG if data[1] & _LONG else 0)
    inner = data[start] if start < _HEAD_BYTES else _INTEGER
    if inner == _OBJECT:
        return Form.PKCS7
    if inner != _INTEGER:
        return Form.DER
    # Private keys are short, so content too long to show its version is a container.
    version = data[start + 2] if start + 2 < _HEAD_BYTES else _PKCS12_VERSION
    return Form.PKCS12 if version == _PKCS12_VERSION else Form.KEY
