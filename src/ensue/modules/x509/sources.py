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

    return await _of_either_form(ctx, source, x509.load_pem_x509_certificate, x509.load_der_x509_certificate)


async def request_of(ctx: FunctionContext, source: str) -> x509.CertificateSigningRequest:
    """Load a request for a certificate.

    Raises:
        StateFailedError: there is none.
    """
    from cryptography import x509

    return await _of_either_form(ctx, source, x509.load_pem_x509_csr, x509.load_der_x509_csr)


async def revocations_of(ctx: FunctionContext, source: str) -> x509.CertificateRevocationList:
    """Load a list of revoked certificates.

    Raises:
        StateFailedError: there is none.
    """
    from cryptography import x509

    return await _of_either_form(ctx, source, x509.load_pem_x509_crl, x509.load_der_x509_crl)


async def matching(ctx: FunctionContext, pattern: str) -> list[str]:
    """Return the files of the target whose paths match a pattern of a shell, sorted.

    Args:
        ctx: the target.
        pattern: an absolute path with `*`, `?` and `[…]`.
    """
    answer = await must(ctx, "sh", "-c", _FILES, "sh", pattern, what=f"look for {pattern}")
    return sorted(path for path in answer.stdout.split("\0") if path)


async def _of_either_form(
    ctx: FunctionContext,
    source: str,
    from_pem: Callable[[bytes], _Loaded],
    from_der: Callable[[bytes], _Loaded],
) -> _Loaded:
    data = await bytes_of(ctx, source)
    try:
        return from_pem(data) if BEGIN.encode() in data else from_der(data)
    except ValueError as error:
        where = source if source.startswith("/") else "the text that was given"
        raise StateFailedError(f"{where} cannot be read: {error}") from None
