"""Converts certificates, signing requests, revocation lists and keys to other encodings.

Source: Salt's execution module `x509_v2`, 3008: arguments and return values.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.reach.certificates import encodings
from ensue.reach.certificates.containers import Packing, packed
from ensue.reach.certificates.key_files import in_files
from ensue.reach.certificates.keys import ENCODINGS, Storage, encoded
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.sources import certificate_of, request_of, revocations_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext

_ONE = ("der", "pem")
_TEXTS = frozenset({"pem", "pkcs7_pem"})


async def encode_certificate(
    ctx: FunctionContext,
    certificate: str,
    encoding: str = "pem",
    append_certs: list[str] | str | None = None,
    private_key: str | None = None,
    private_key_passphrase: str | None = None,
    pkcs12_passphrase: str | None = None,
    pkcs12_encryption_compat: bool = False,
    pkcs12_friendlyname: str | None = None,
) -> str:
    """Return a certificate in another encoding.

    Args:
        encoding: `pem`, `der`, `pkcs7_pem`, `pkcs7_der` or `pkcs12`.
        append_certs: certificates to append: paths of the target, or PEM.
        private_key: the path of its private key, for `pkcs12`.
        private_key_passphrase: the passphrase of the private key; masked.
        pkcs12_passphrase: the passphrase that encrypts a PKCS#12; masked.
        pkcs12_encryption_compat: encrypt it so that old programs can read it.
        pkcs12_friendlyname: the friendly name of the certificate in it.

    Example:
        ensue call '*' x509.encode_certificate /etc/ssl/www.crt

    Returns:
        Text, or base64 for binary encodings; a PKCS#12 is masked.

    Raises:
        StateFailedError: an argument is invalid, or there is no certificate.
    """
    encodings.check(encoding)
    if private_key and encoding != "pkcs12":
        raise StateFailedError("Embedding private keys is only supported for pkcs12 encoding")
    packing = Packing(
        passphrase=pkcs12_passphrase or None,
        friendly_name=pkcs12_friendlyname,
        is_compatible=pkcs12_encryption_compat,
    )
    own = await certificate_of(ctx, certificate)
    async with in_files(ctx, {"private_key": private_key}) as placed:
        path = placed["private_key"]
        key = TargetKey(path=path, passphrase=private_key_passphrase) if path else None
        data = await certificate_bytes(ctx, own, append_certs, encoding, key, packing)
    return await returned(ctx, data, encoding, None)


async def encode_csr(ctx: FunctionContext, csr: str, encoding: str = "pem") -> str:
    """Return a certificate signing request as `pem`, or as `der` in base64.

    Args:
        csr: its path, or PEM.

    Example:
        ensue call '*' x509.encode_csr /etc/ssl/www.csr

    Raises:
        StateFailedError: there is no request, or the encoding is unknown.
    """
    encodings.check(encoding, _ONE)
    return text_or_base64(encodings.pem_or_der(await request_of(ctx, csr), encoding), encoding)


async def encode_crl(ctx: FunctionContext, crl: str, encoding: str = "pem") -> str:
    """Return a certificate revocation list as `pem`, or as `der` in base64.

    Example:
        ensue call '*' x509.encode_crl /etc/ssl/ca.crl

    Raises:
        StateFailedError: there is no list, or the encoding is unknown.
    """
    encodings.check(encoding, _ONE)
    return text_or_base64(encodings.pem_or_der(await revocations_of(ctx, crl), encoding), encoding)


async def encode_private_key(
    ctx: FunctionContext,
    private_key: str,
    encoding: str = "pem",
    passphrase: str | None = None,
    private_key_passphrase: str | None = None,
    pkcs12_encryption_compat: bool = False,
) -> str:
    """Return a private key of the target in another encoding; it is masked.

    Args:
        encoding: `pem`, `der` or `pkcs12`.
        passphrase: the passphrase that encrypts the returned key; masked.
        private_key_passphrase: the passphrase of the existing key; masked.
        pkcs12_encryption_compat: encrypt PKCS#12 so that old programs can read it.

    Example:
        ensue call '*' x509.encode_private_key /etc/ssl/www.key

    Returns:
        Text, or base64 for binary encodings.

    Raises:
        StateFailedError: there is no key, or the encoding is unknown.
    """
    encodings.check(encoding, ENCODINGS)
    storage = Storage(encoding=encoding, passphrase=passphrase, is_compatible=pkcs12_encryption_compat)
    async with in_files(ctx, {"private_key": private_key}) as placed:
        key = TargetKey(path=placed["private_key"], passphrase=private_key_passphrase)
        text = text_or_base64(await encoded(ctx, key, storage), encoding)
    ctx.masker.add(text)
    return text


async def certificate_bytes(
    ctx: FunctionContext,
    certificate: x509.Certificate,
    append_certs: list[str] | str | None,
    encoding: str,
    key: TargetKey | None,
    packing: Packing,
) -> bytes:
    """Return a certificate and the appended ones in an encoding.

    Raises:
        StateFailedError: PKCS#12 without a key, or DER with several certificates.
    """
    sources = [append_certs] if isinstance(append_certs, str) else append_certs or []
    chain = [await certificate_of(ctx, each) for each in sources]
    if encoding != "pkcs12":
        return encodings.encoded(certificate, chain, encoding)
    if key is None:
        raise StateFailedError(
            "Creating a PKCS12-encoded certificate without embedded private key is unsupported"
        )
    return await packed(ctx, [certificate, *chain], key, packing)


def text_or_base64(data: bytes, encoding: str) -> str:
    """Return text encodings as text, and others as base64."""
    return data.decode() if encoding in _TEXTS else base64.b64encode(data).decode()


async def returned(
    ctx: FunctionContext, data: bytes, encoding: str, path: str | None, *, what: str = ""
) -> str:
    """Write content to a file and return a message; without a path, return the content.

    Args:
        data: the content.
        encoding: its encoding; PKCS#12 is masked, and readable by the owner only.
        path: the file, None to return the content.
        what: the kind of content, for the message.
    """
    if path is None:
        text = text_or_base64(data, encoding)
        if encoding == "pkcs12":
            ctx.masker.add(text)
        return text
    if not ctx.test:
        is_new = await ctx.connection.stat(path) is None
        await ctx.connection.write(
            path, data, mode=(0o600 if encoding == "pkcs12" else 0o644) if is_new else None
        )
    return f"PEM written to {path}" if encoding == "pem" else f"{what} written to {path}"
