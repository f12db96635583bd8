"""Loading what a user names: a path of the target, PEM, or bytes as hexadecimal digits or base64.

Source: Salt's execution module `x509_v2`, 3008: which forms count.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final, TypeVar

from ensue.errors import StateFailedError
from ensue.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography import x509

    from ensue.contracts.context import FunctionContext

_Loaded = TypeVar("_Loaded")

BEGIN: Final = "-----BEGIN "
"""How PEM begins."""

_FILES: Final = 'IFS=; for each in $1; do [ -f "$each" ] && printf "%s\\0" "$each"; done; true'
"""Without a separator of words the shell looks for the pattern as it is."""


async def bytes_of(ctx: FunctionContext, source: str) -> bytes:
    """Return what a source holds.

    Args:
        ctx: the target.
        source: a path of the target, PEM, or bytes as hexadecimal digits or base64 (`b64:…`).

    Raises:
        StateFailedError: it is none of these.
    """
    if BEGIN in source:
        return source.encode()
    if source.startswith("/"):
        data = await ctx.connection.read(source)
        if b"PRIVATE KEY-----" in data:
            ctx.masker.add(data.decode("utf-8", "replace"))
        return data
    try:
        return bytes.fromhex(source)
    except ValueError:
        pass
    try:
        return base64.b64decode(source.removeprefix("b64:"), validate=True)
    except binascii.Error:
        raise StateFailedError(
            "Could not load provided source: it is no path of the target, PEM, hexadecimal digits or base64"
        ) from None


async def certificate_of(ctx: FunctionContext, source: str) -> x509.Certificate:
    """Load a certificate.

    Raises:
        StateFailedError: there is none.
    """
    from cryptography import x509

    data = await bytes_of(ctx, source)
    is_pem = BEGIN.encode() in data
    return _loaded(x509.load_pem_x509_certificate if is_pem else x509.load_der_x509_certificate, data, source)


async def request_of(ctx: FunctionContext, source: str) -> x509.CertificateSigningRequest:
    """Load a request for a certificate.

    Raises:
        StateFailedError: there is none.
    """
    from cryptography import x509

    data = await bytes_of(ctx, source)
    is_pem = BEGIN.encode() in data
    return _loaded(x509.load_pem_x509_csr if is_pem else x509.load_der_x509_csr, data, source)


async def revocations_of(ctx: FunctionContext, source: str) -> x509.CertificateRevocationList:
    """Load a list of revoked certificates.

    Raises:
        StateFailedError: there is none.
    """
    from cryptography import x509

    data = await bytes_of(ctx, source)
    is_pem = BEGIN.encode() in data
    return _loaded(x509.load_pem_x509_crl if is_pem else x509.load_der_x509_crl, data, source)


async def matching(ctx: FunctionContext, pattern: str) -> list[str]:
    """Return the files of the target whose paths match a pattern of a shell, sorted.

    Args:
        ctx: the target.
        pattern: an absolute path with `*`, `?` and `[…]`.
    """
    answer = await must(ctx, "sh", "-c", _FILES, "sh", pattern, what=f"look for {pattern}")
    return sorted(path for path in answer.stdout.split("\0") if path)


def _loaded(load: Callable[[bytes], _Loaded], data: bytes, source: str) -> _Loaded:
    try:
        return load(data)
    except ValueError as error:
        where = source if source.startswith("/") else "the text that was given"
        raise StateFailedError(f"{where} cannot be read: {error}") from None
