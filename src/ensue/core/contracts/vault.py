"""Encryption of small data at rest."""

from __future__ import annotations

from typing import Protocol


class Vault(Protocol):
    """AES-256-GCM with the project's key."""

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Encrypt and authenticate.

        Args:
            plain: the bytes in the clear.
            context: their purpose (`sandbox:env-01`); `open` needs the same.

        Raises:
            KeyFileError: the key file cannot be used.
        """
        ...

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Decrypt.

        Raises:
            WrongKeyError: sealed with a key that is not available.
            TamperedError: changed since it was sealed, or sealed with another context.
        """
        ...


class KeyedVault(Vault, Protocol):
    """The project's keys, which also make fingerprints."""

    def fingerprint(self, content: bytes, *, context: str, like: str = "") -> str:
        """Return a keyed fingerprint of bytes.

        Args:
            content: the bytes.
            context: what they are; other contexts have other fingerprints.
            like: a fingerprint to compare with, which may have been made with an earlier key.
        """
        ...
