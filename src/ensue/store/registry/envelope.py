"""The sealed form of a secret: AES-256-GCM with the key's id beside it.

`magic (2) | key id (8) | nonce (12) | ciphertext and tag`. Magic, key id and the caller's context
are authenticated along with the content, so an envelope that is moved elsewhere does not open.
The keys come from the caller.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.errors import TamperedError, WrongKeyError
from ensue.store.registry.keys import KEY_ID_BYTES, key_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC: Final = b"E1"
"""First bytes of every envelope; the digit is the version of the form."""

_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_HEAD_BYTES: Final = len(MAGIC) + KEY_ID_BYTES
_SHORTEST_BYTES: Final = _HEAD_BYTES + _NONCE_BYTES + _TAG_BYTES


def seal(plain: bytes, *, key: bytes, context: bytes) -> bytes:
    """Encrypt and authenticate.

    Args:
        plain: the bytes in the clear.
        key: 32 bytes.
        context: what they are; the same must be given to open them.
    """
    cipher = _cipher(key)
    nonce = os.urandom(_NONCE_BYTES)
    return cipher.head + nonce + cipher.aes.encrypt(nonce, plain, cipher.head + context)


def sealed_with(sealed: bytes, *, what: str) -> bytes:
    """Return the id of the key that an envelope names.

    Raises:
        TamperedError: it is no envelope.
    """
    if len(sealed) < _SHORTEST_BYTES or sealed[: len(MAGIC)] != MAGIC:
        raise TamperedError(_tampered(what))
    return sealed[len(MAGIC) : _HEAD_BYTES]


def unseal(sealed: bytes, *, keys: Mapping[bytes, bytes], context: bytes, what: str) -> bytes:
    """Decrypt.

    Args:
        sealed: an envelope.
        keys: key id → key.
        context: what was given to `seal`.
        what: what they are, for messages.

    Raises:
        WrongKeyError: none of the keys fits.
        TamperedError: changed since it was sealed, or sealed for another context.
    """
    named = sealed_with(sealed, what=what)
    if named in keys:
        plain = _opened(sealed, keys[named], context)
        if plain is None:
            raise TamperedError(_tampered(what))
        return plain
    if any(_opened(sealed, key, context) is not None for key in keys.values()):
        # The content is intact and one of our keys opens it, so the id was changed.
        raise TamperedError(_tampered(what))
    raise WrongKeyError(
        f"{what} was encrypted with another key ({named.hex()}; at hand: {', '.join(k.hex() for k in keys)})"
        " (set ENSUE_KEY, or restore the key file, to the key it was encrypted with)"
    )


def _opened(sealed: bytes, key: bytes, context: bytes) -> bytes | None:
    cipher = _cipher(key)
    nonce = sealed[_HEAD_BYTES : _HEAD_BYTES + _NONCE_BYTES]
    try:
        return cipher.aes.decrypt(nonce, sealed[_HEAD_BYTES + _NONCE_BYTES :], cipher.head + context)
    except cipher.refusal:
        return None


class _Cipher(NamedTuple):
    """What is made once per key; the records of a large environment are thousands.

    Args:
        head: the beginning of the envelopes of the key.
        aes: encrypts and decrypts.
        refusal: what decryption raises for content that was changed.
    """

    head: bytes
    aes: AESGCM
    refusal: type[Exception]


@functools.lru_cache(maxsize=16)
def _cipher(key: bytes) -> _Cipher:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return _Cipher(MAGIC + key_id(key), AESGCM(key), InvalidTag)


def _tampered(what: str) -> str:
    return (
        f"{what} is not what was written: it was changed since, or moved from elsewhere"
        " (restore it from a copy, or forget it and register it again)"
    )
