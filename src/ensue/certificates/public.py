"""Describes public keys, and encodes them as PEM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ensue.model.data import DataMap


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
