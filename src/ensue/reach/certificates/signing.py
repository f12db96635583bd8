"""Signs certificates that are built here with a private key of the target.

A certificate consists of the data to be signed, the algorithm and the signature. The library `cryptography`
signs the data with a throwaway key of the same kind. Then the target's `openssl` signs it with the real key,
and its signature replaces the first one.

Source: RFC 5280, 4.1; openssl-dgst(1), openssl-pkeyutl(1).
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.keys import kind_of, public_key
from ensue.reach.certificates.openssl import digest_name, must
from ensue.reach.certificates.public import loaded_public

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.reach.certificates.openssl import TargetKey


async def signed_certificate(
    ctx: FunctionContext, builder: x509.CertificateBuilder, key: TargetKey, digest: str
) -> x509.Certificate:
    """Return a certificate, signed on the target.

    Args:
        ctx: the target.
        builder: the whole certificate except the signature.
        key: the signing key.
        digest: the hash algorithm of the signature; Ed25519 and Ed448 keys have their own.

    Raises:
        StateFailedError: the key cannot be used, the digest is unknown, or it cannot be used with such a key.
    """
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import Encoding

    public = await public_key(ctx, key)
    algo = kind_of(public.encode()).algo
    try:
        draft = builder.sign(_throwaway(algo), _hash(algo, digest))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StateFailedError(
            f"the digest {digest} cannot be used with the key {key.path}: {error}"
        ) from None
    der, text = draft.public_bytes(Encoding.DER), draft.tbs_certificate_bytes
    made = x509.load_der_x509_certificate(await _signed(ctx, key, algo, digest, der, text))
    if not _is_signed_with(loaded_public(public), made):
        raise StateFailedError(f"cannot sign with the key {key.path}: the output of openssl is no signature")
    return made


def _is_signed_with(key: Any, made: x509.Certificate) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

    digest: Any = made.signature_hash_algorithm
    how: tuple[Any, ...] = ()
    if isinstance(key, rsa.RSAPublicKey):
        how = (padding.PKCS1v15(), digest)
    elif isinstance(key, ec.EllipticCurvePublicKey):
        how = (ec.ECDSA(digest),)
    try:
        key.verify(made.signature, made.tbs_certificate_bytes, *how)
    except InvalidSignature:
        return False
    return True


async def _signed(  # noqa: PLR0917 (what is signed, and how)
    ctx: FunctionContext, key: TargetKey, algo: str, digest: str, der: bytes, text: bytes
) -> bytes:
    files = {"text.b64": base64.encodebytes(text).decode(), "text": ""}
    decode = ["base64", "-d", "-in", "@text.b64", "-out", "@text"]
    words = ["dgst", f"-{digest_name(digest)}", "-sign", key.path, *key.options(), "@text"]
    if algo.startswith("ed"):
        words = ["pkeyutl", "-sign", "-rawin", "-inkey", key.path, *key.options(), "-in", "@text"]
    signature = await must(
        ctx, *words, passphrases=[key.passphrase], files=files, first=decode,
        what=f"sign with the key {key.path}",
    )  # fmt: skip
    after = der[der.index(text) + len(text) :]
    algorithm = after[: 2 + after[1]]
    return _tagged(0x30, text + algorithm + _tagged(0x03, b"\0" + signature))


def _tagged(tag: int, content: bytes) -> bytes:
    """Return a DER value."""
    size = len(content)
    if size < 0x80:  # noqa: PLR2004 (the largest length in one byte)
        return bytes([tag, size]) + content
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + content


def _throwaway(algo: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

    match algo:
        case "rsa":
            return rsa.generate_private_key(65537, 2048)
        case "ec":
            return ec.generate_private_key(ec.SECP256R1())
        case "ed25519":
            return ed25519.Ed25519PrivateKey.generate()
        case "ed448":
            return ed448.Ed448PrivateKey.generate()
        case _:
            raise StateFailedError("the signing key must be rsa, ec, ed25519 or ed448")


def _hash(algo: str, digest: str) -> Any:
    from cryptography.hazmat.primitives import hashes

    hash_class = getattr(hashes, digest.upper().replace("-", "_"), None)
    if hash_class is None:
        raise StateFailedError(f"unknown digest {digest}")
    return None if algo.startswith("ed") else hash_class()
