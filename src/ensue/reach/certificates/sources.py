"""Loads certificates and keys from a path of the target, PEM, or bytes in hexadecimal or base64.

Source: Salt's execution module `x509_v2`, 3008: the accepted forms.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError
from ensue.reach.certificates.containers import opened
from ensue.reach.certificates.encodings import held_in
from ensue.reach.certificates.forms import Form, form_of
from ensue.reach.certificates.keys import look, public_key
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import key_in, loaded_public, public_pem

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext

_Loaded = TypeVar("_Loaded")

BEGIN: Final = "-----BEGIN "
"""The beginning of PEM."""


async def bytes_of(ctx: FunctionContext, source: str) -> bytes:
    """Return the content of a source.

    Args:
        ctx: the target.
        source: a path of the target, PEM, or bytes in hexadecimal or base64 (`b64:…`).

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
    except ValueError:
        raise StateFailedError(
            "Could not load provided source: it is not a path of the target, PEM, hexadecimal or base64"
        ) from None


async def certificate_of(
    ctx: FunctionContext, source: str, passphrase: str | None = None
) -> x509.Certificate:
    """Load a certificate: the first of a PEM or PKCS#7, that of the key in a PKCS#12.

    Args:
        ctx: the target.
        source: a source as for `bytes_of`; PKCS#12 must be a path.
        passphrase: the passphrase of a PKCS#12.

    Raises:
        StateFailedError: there is no certificate.
    """
    if source.startswith("/") and await form_of(ctx, source) is Form.PKCS12:
        container = await opened(ctx, source, passphrase)
        if container is None:
            raise StateFailedError(f"{source} cannot be opened with this passphrase")
        return container.held.certificate
    held = held_in(await bytes_of(ctx, source))
    if held is None:
        raise StateFailedError(f"{_named(source)} cannot be read: it contains no certificate")
    return held.certificate


async def request_of(ctx: FunctionContext, source: str) -> x509.CertificateSigningRequest:
    """Load a certificate signing request.

    Raises:
        StateFailedError: there is no request.
    """
    from cryptography import x509

    return await _of_either_form(ctx, source, x509.load_pem_x509_csr, x509.load_der_x509_csr)


async def revocations_of(ctx: FunctionContext, source: str) -> x509.CertificateRevocationList:
    """Load a certificate revocation list.

    Raises:
        StateFailedError: there is no list.
    """
    from cryptography import x509

    return await _of_either_form(ctx, source, x509.load_pem_x509_crl, x509.load_der_x509_crl)


async def public_key_of(ctx: FunctionContext, source: str, passphrase: str | None = None) -> str:
    """Return a public key as PEM.

    Args:
        ctx: the target.
        source: a source as for `bytes_of`: a public or private key, a certificate or a signing request. A
            private key in a file stays on the target.
        passphrase: the passphrase of a private key.

    Raises:
        StateFailedError: the key cannot be read.
    """
    if source.startswith("/"):
        form = await form_of(ctx, source)
        if form in {Form.KEY, Form.PKCS12} or (form is Form.PEM and await _has_private(ctx, source)):
            return await public_key(ctx, TargetKey(path=source, passphrase=passphrase))
        if form is Form.DER:
            # An encrypted private key starts like a certificate.
            existing = await look(ctx, TargetKey(path=source, passphrase=passphrase))
            if existing.public is not None:
                return existing.public
    data = await bytes_of(ctx, source)
    label = data.decode("utf-8", "replace").partition(BEGIN)[2].partition("-----")[0]
    if label.endswith("PRIVATE KEY"):
        return _public_of_private(ctx, data, passphrase)
    if label.endswith("CERTIFICATE REQUEST"):
        key: Any = key_in(await request_of(ctx, source))
    elif label.endswith("PUBLIC KEY"):
        key = loaded_public(data.decode("utf-8", "replace"))
    else:
        key = key_in(await certificate_of(ctx, source)) if label else _binary_key(source, data)
    return public_pem(key)


async def _has_private(ctx: FunctionContext, path: str) -> bool:
    """Return whether a PEM file contains a private key, be it after something else; only labels are read."""
    command = Command(argv=["grep", "-e", BEGIN, "--", path], cwd="/", env={"LC_ALL": "C"})
    done = await ctx.connection.run(command)
    return any(line.rstrip().endswith(b"PRIVATE KEY-----") for line in done.stdout.splitlines())


def _public_of_private(ctx: FunctionContext, data: bytes, passphrase: str | None) -> str:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    ctx.masker.add(data.decode("utf-8", "replace"), *([passphrase] if passphrase else []))
    try:
        key = load_pem_private_key(data, passphrase.encode() if passphrase else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise StateFailedError(f"the private key cannot be read: {error}") from None
    return public_pem(key.public_key())


def _binary_key(source: str, data: bytes) -> Any:
    """Return the public key in a key, certificate or signing request in DER."""
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        return load_der_public_key(data)
    except ValueError:
        pass
    except UnsupportedAlgorithm as error:
        raise StateFailedError(f"the public key in {_named(source)} cannot be read: {error}") from None
    try:
        request = x509.load_der_x509_csr(data)
    except ValueError:
        pass
    else:
        return key_in(request)
    held = held_in(data)
    if held is None:
        raise StateFailedError(f"{_named(source)} contains no readable key, certificate or request")
    return key_in(held.certificate)


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
        raise StateFailedError(f"{_named(source)} cannot be read: {error}") from None


def _named(source: str) -> str:
    return source if source.startswith("/") else "the given text"
