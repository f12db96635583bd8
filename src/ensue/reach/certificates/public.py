"""Loads public keys, describes them, and encodes them as PEM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.model.data import DataMap


def key_data(key: Any) -> DataMap:
    """Return `key_size` (in bits; None if the algorithm has only one) and `key_type` of a public key."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

    kinds = {
        rsa.RSAPublicKey: "rsa",
        ec.EllipticCurvePublicKey: "ec",
        ed25519.Ed25519PublicKey: "ed25519",
        ed448.Ed448PublicKey: "ed448",
    }
    size: int | None = getattr(key, "key_size", None)
    kind = next((word for type_, word in kinds.items() if isinstance(key, type_)), None)
    return {"key_size": size if kind in {"rsa", "ec"} else None, "key_type": kind}


def public_pem(key: Any) -> str:
    """Return a public key as PEM."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)).decode()


def loaded_public(text: str) -> Any:
    """Load a public key from PEM.

    Raises:
        StateFailedError: it is not a public key, or one that the library `cryptography` does not support.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        return load_pem_public_key(text.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StateFailedError(f"the public key cannot be read: {error}") from None


def key_in(holder: x509.Certificate | x509.CertificateSigningRequest) -> Any:
    """Return the public key in a certificate or signing request.

    Raises:
        StateFailedError: the library `cryptography` does not support the key.
    """
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return holder.public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StateFailedError(
            f"the public key of {holder.subject.rfc4514_string()} cannot be read: {error}"
        ) from None
