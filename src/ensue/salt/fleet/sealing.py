"""Opens the frames of a run, which minions encrypt, so that only its coordinator can read them.

Salt keeps returns in its job cache and shows events to every listener. Each frame is encrypted with a key
of its own, agreed between an ephemeral key of the minion and the key of the run (X25519, HKDF, AES-GCM).
`signing` has the other side. Encryption does not say who sent a frame: every minion knows the public key of
the run.

Messages to a minion are sealed with the key that the master has accepted for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.salt.fleet.signing import KEY_BYTES, NONCE, derived, key_wrapping

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey


class RunKey:
    """The key pair of one run.

    Args:
        private: the private half, of a run that is resumed; empty: a new one.
    """

    def __init__(self, private: bytes = b"") -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private: X25519PrivateKey = (
            X25519PrivateKey.from_private_bytes(private) if private else X25519PrivateKey.generate()
        )

    @property
    def private(self) -> bytes:
        """The private half, which is stored sealed alone."""
        return self._private.private_bytes_raw()

    @property
    def public(self) -> bytes:
        """The public half, which minions encrypt with."""
        return self._private.public_key().public_bytes_raw()

    def opened(self, sealed: bytes, about: str) -> bytes:
        """Return the content of a sealed frame.

        Args:
            sealed: what `signing.seal` returned.
            about: what the frame belongs to, as it was given to `seal`.

        Raises:
            ValueError: it was altered, or sealed for another run, minion or position.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        sender, ciphertext = sealed[:KEY_BYTES], sealed[KEY_BYTES:]
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(sender))
        try:
            return AESGCM(derived(shared, sender)).decrypt(NONCE, ciphertext, about.encode())
        except InvalidTag:
            msg = "the frame was altered, or it belongs to another run"
            raise ValueError(msg) from None


def sealed_for(public_key: RSAPublicKey, content: bytes, about: str) -> bytes:
    """Encrypt a message, so that only one minion can read it (`signing.opened` is the other side).

    Args:
        public_key: the key of the minion.
        content: the message.
        about: what it belongs to; `signing.message_name` makes it.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = AESGCM.generate_key(256)
    return public_key.encrypt(key, key_wrapping()) + AESGCM(key).encrypt(NONCE, content, about.encode())
