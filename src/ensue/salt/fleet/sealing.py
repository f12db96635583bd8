"""Encrypts what a minion reports, so that only the coordinator of the run can read it.

Salt keeps returns in its job cache and shows events to every listener. Each frame is encrypted with a key of
its own, agreed between an ephemeral key of the minion and the key of the run (X25519, HKDF, AES-GCM).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

_KEY_BYTES: Final = 32
_NONCE: Final = bytes(12)
"""Constant, because no key encrypts more than one frame."""


class RunKey:
    """The key pair of one run; it is never stored."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private: X25519PrivateKey = X25519PrivateKey.generate()

    @property
    def public(self) -> bytes:
        """The public half, which minions encrypt with."""
        return self._private.public_key().public_bytes_raw()

    def opened(self, sealed: bytes, about: str) -> bytes:
        """Return the content of a sealed frame.

        Args:
            sealed: what `seal` returned.
            about: what the frame belongs to, as it was given to `seal`.

        Raises:
            ValueError: it was altered, or sealed for another run, minion or position.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        sender, ciphertext = sealed[:_KEY_BYTES], sealed[_KEY_BYTES:]
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(sender))
        try:
            return AESGCM(_derived(shared, sender)).decrypt(_NONCE, ciphertext, about.encode())
        except InvalidTag:
            msg = "the frame was altered, or it belongs to another run"
            raise ValueError(msg) from None


def seal(public: bytes, content: bytes, about: str) -> bytes:
    """Encrypt a frame.

    Args:
        public: the public key of the run.
        content: the frame.
        about: what the frame belongs to; it has to be the same when the frame is opened.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    ephemeral = X25519PrivateKey.generate()
    sender = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    return sender + AESGCM(_derived(shared, sender)).encrypt(_NONCE, content, about.encode())


def _derived(shared: bytes, sender: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=b"ensue fleet" + sender).derive(shared)
