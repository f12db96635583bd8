"""Public keys, described and as PEM."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from tests.reach.certificates.target import needs_openssl, openssl

from ensue.reach.certificates.public import key_data, public_pem

pytestmark = needs_openssl


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("RSA", "-pkeyopt", "rsa_keygen_bits:2048"), {"key_size": 2048, "key_type": "rsa"}),
        (("EC", "-pkeyopt", "ec_paramgen_curve:P-384"), {"key_size": 384, "key_type": "ec"}),
        (("ed25519",), {"key_size": None, "key_type": "ed25519"}),
        (("ed448",), {"key_size": None, "key_type": "ed448"}),
        (("X25519",), {"key_size": None, "key_type": None}),
    ],
)
def test_a_public_key_is_described(words: tuple[str, ...], expected: dict[str, object]) -> None:
    """By algorithm and size where it has one; as PEM it is what openssl prints."""
    text = openssl("pkey", "-pubout", stdin=openssl("genpkey", "-algorithm", *words).encode())
    key = load_pem_public_key(text.encode())
    assert key_data(key) == expected
    assert public_pem(key) == text
