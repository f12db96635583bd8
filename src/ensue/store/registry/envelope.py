"""The sealed form of a secret: AES-256-GCM with the key's id beside it.

`magic (2) | key id (8) | nonce (12) | ciphertext and tag`. Magic, key id and the caller's context
are authenticated along with the content, so an envelope that is moved elsewhere does not open.
The keys come from the caller.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Final

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
    head = MAGIC + key_id(key)
    nonce = os.urandom(_NONCE_BYTES)
    return head + nonce + _cipher(key).encrypt(nonce, plain, head + context)


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
    msg = (
        f"{what} was encrypted with another key ({named.hex()}; at hand: {', '.join(k.hex() for k in keys)})"
        " (set ENSUE_KEY, or restore the key file, to the key it was encrypted with)"
    )
    raise WrongKeyError(msg)


def _opened(sealed: bytes, key: bytes, context: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    head = MAGIC + key_id(key)
    nonce = sealed[_HEAD_BYTES : _HEAD_BYTES + _NONCE_BYTES]
    try:
        return _cipher(key).decrypt(nonce, sealed[_HEAD_BYTES + _NONCE_BYTES :], head + context)
    except InvalidTag:
        return None


@functools.lru_cache(maxsize=16)
def _cipher(key: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _tampered(what: str) -> str:
    return (
        f"{what} is not what was written: it was changed since, or moved from elsewhere"
        " (restore it from a copy, or forget it and register it again)"
    )
