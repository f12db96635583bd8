"""Keys of the target: their public keys, their sizes, and signatures made with them.

The target's `openssl` reads a private key in a file; the key never leaves the target.

Source: Salt's execution module `x509_v2`, 3008: arguments and return values; openssl-pkey(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.reach.certificates.public import key_data, loaded_public
from ensue.reach.certificates.sources import certificate_of, public_key_of, revocations_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def get_public_key(ctx: FunctionContext, key: str, passphrase: str | None = None) -> str:
    """Return a public key as PEM.

    Args:
        key: a path of the target, or PEM: a public or private key, a certificate or a signing request.
        passphrase: the passphrase of a private key.

    Example:
        ensue call '*' x509.get_public_key roles

    Raises:
        StateFailedError: it contains no key.
    """
    return await public_key_of(ctx, key, passphrase)


async def get_private_key_size(
    ctx: FunctionContext, private_key: str, passphrase: str | None = None
) -> int | None:
    """Return the size of a private key in bits, None for Ed25519 and Ed448.

    Args:
        passphrase: its passphrase.

    Example:
        ensue call '*' x509.get_private_key_size /etc/ssl/www.key

    Raises:
        StateFailedError: the key cannot be read.
    """
    size = key_data(loaded_public(await get_public_key(ctx, private_key, passphrase)))["key_size"]
    return size if isinstance(size, int) else None


async def verify_private_key(
    ctx: FunctionContext, private_key: str, public_key: str, passphrase: str | None = None
) -> bool:
    """Return whether a private key matches a public key.

    Args:
        public_key: the public key, or a file or PEM that contains it, as for `get_public_key`.
        passphrase: the passphrase of the private key.

    Example:
        ensue call '*' x509.verify_private_key /etc/ssl/web.key /etc/ssl/web.crt

    Raises:
        StateFailedError: one of them cannot be read.
    """
    return await get_public_key(ctx, private_key, passphrase) == await get_public_key(ctx, public_key)


async def verify_crl(ctx: FunctionContext, crl: str, cert: str) -> bool:
    """Return whether a certificate revocation list was signed with the key of a certificate.

    Args:
        cert: the certificate, or anything else with the public key, as for `get_public_key`.

    Example:
        ensue call '*' x509.verify_crl /etc/ssl/ca.crl /etc/ssl/ca.crt

    Raises:
        StateFailedError: one of them cannot be read.
    """
    key: Any = loaded_public(await get_public_key(ctx, cert))
    return (await revocations_of(ctx, crl)).is_signature_valid(key)


async def verify_signature(
    ctx: FunctionContext,
    certificate: str,
    signing_pub_key: str | None = None,
    signing_pub_key_passphrase: str | None = None,
) -> bool:
    """Return whether a certificate was signed with a key.

    Args:
        signing_pub_key: the public key, as for `get_public_key`; None for the certificate's own.
        signing_pub_key_passphrase: the passphrase, if that is a private key.

    Example:
        ensue call '*' x509.verify_signature /etc/ssl/www.crt

    Raises:
        StateFailedError: one of them cannot be read.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa

    parsed = await certificate_of(ctx, certificate)
    key = loaded_public(await get_public_key(ctx, signing_pub_key or certificate, signing_pub_key_passphrase))
    digest = parsed.signature_hash_algorithm
    try:
        if isinstance(key, rsa.RSAPublicKey) and digest:
            key.verify(parsed.signature, parsed.tbs_certificate_bytes, padding.PKCS1v15(), digest)
        elif isinstance(key, ec.EllipticCurvePublicKey) and digest:
            key.verify(parsed.signature, parsed.tbs_certificate_bytes, ec.ECDSA(digest))
        elif isinstance(key, (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey)):
            key.verify(parsed.signature, parsed.tbs_certificate_bytes)
        else:
            return False
    except InvalidSignature:
        return False
    return True
