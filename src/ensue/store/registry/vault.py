"""The project's `Vault`: seals and opens small values with the project's keys.

The store and every plug-in that keeps a secret below the cachedir go through it. It loads its keys
on first use, and again when it meets a key that it does not know: another process may have
rotated them meanwhile.
"""

from __future__ import annotations

import hmac
import threading
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from ensue.core.errors import KeyFileError, WrongKeyError
from ensue.store.registry import envelope
from ensue.store.registry.keys import key_source
from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.store.registry.keys import KeyRing, KeySource

_FINGERPRINT_LABEL: Final = b"ensue fingerprint "
_DIGEST_BYTES: Final = 16
_FORM: Final = "2:"
"""Marks a fingerprint that BLAKE2b made with the key; the first release made others."""


class ProjectVault:
    """Implements `ensue.core.contracts.vault.Vault`.

    Args:
        keys: where the keys are.
    """

    def __init__(self, keys: KeySource) -> None:
        self._source = keys
        self._ring: KeyRing | None = None
        self._keys: dict[bytes, bytes] = {}
        self._keys_by_text: dict[str, bytes] = {}
        self._loading = threading.Lock()

    @classmethod
    def of_project(
        cls, cachedir: Path, *, kind: str = "file", environment: Mapping[str, str] | None = None
    ) -> ProjectVault:
        """Return the vault of a project; reads nothing yet.

        Args:
            cachedir: the project's cachedir.
            kind: the option `key_source`: `file` or `keyring`; `ENSUE_KEY` overrides it.
            environment: the process's environment; None is the real one.

        Raises:
            StoreError: there is no such kind.
        """
        return cls(key_source(cachedir, kind=kind, environment=environment))

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Encrypt with the current key, creating it if the project has none; see the contract."""
        return envelope.seal(plain, key=self._current().keys[0], context=context.encode())

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Decrypt with whichever of the project's keys it was sealed with; see the contract."""
        self.require(envelope.sealed_with(sealed, what=context))
        return envelope.unseal(sealed, keys=self._keys, context=context.encode(), what=context)

    def fingerprint(self, content: bytes, *, context: str, like: str = "") -> str:
        """Return a fingerprint that reveals nothing about the content to anyone without the key.

        Args:
            content: what is fingerprinted.
            context: what it is; the same content has a different fingerprint in another context.
            like: a fingerprint to compare with; its key is used if it is available.

        Raises:
            StoreError: the keys cannot be used.
        """
        self._current()
        id_, _, digest = like.partition(":")
        if id_ not in self._keys_by_text:
            id_, digest = next(iter(self._keys_by_text)), ""
        key = self._keys_by_text[id_]
        if digest and not digest.startswith(_FORM):
            return f"{id_}:{_first_form(key, content, context)}"
        name = context.encode()
        made = blake2b(b"%s%d %s" % (_FINGERPRINT_LABEL, len(name), name), key=key, digest_size=_DIGEST_BYTES)
        made.update(content)
        return f"{id_}:{_FORM}{made.hexdigest()}"

    def current_key_id(self) -> str:
        """Return the id of the key that encrypts, as hex; creates a key if the project has none."""
        return self._current().current_id.hex()

    def holds(self, key_id: str) -> bool:
        """Return whether a key is available.

        Args:
            key_id: its id as hex.

        Raises:
            KeyFileError: there is no key at all, or the keys cannot be used.
        """
        try:
            key = bytes.fromhex(key_id)
        except ValueError:
            return False
        self.require(key)
        return key in self._keys

    def require(self, key_id: bytes) -> None:
        """Read the keys again if the wanted one is not available; creates none.

        Raises:
            KeyFileError: there is no key at all, or the keys cannot be used.
        """
        if key_id in self._keys:
            return
        key_ring = self._source.load()
        if key_ring is None and not self._keys:
            raise KeyFileError(
                f"{self._source.label}: the key is missing, so what is stored cannot be read"
                " (restore the key file from a copy, or set ENSUE_KEY; projects that share a store"
                " have the same key)"
            )
        if key_ring is not None:
            self._take(key_ring)

    def rotate(self, waits: LockWaits | None = None) -> str:
        """Change to another key, keeping the old ones for decryption; return the new one's id as hex.

        Args:
            waits: ends its waits for other processes that rotate them.

        Raises:
            KeyFileError: the keys cannot be changed.
        """
        self._take(self._source.rotate(waits or LockWaits()))
        return self.current_key_id()

    def wrong_key(self, key_id: str, *, what: str) -> WrongKeyError:
        """Return the error for something that needs a key that is not available.

        Args:
            key_id: the id of the key it needs, as hex.
            what: what needs it.
        """
        return WrongKeyError(
            f"{what} is encrypted with another key than the one in {self._source.label}"
            f" ({key_id}; at hand: {', '.join(key.hex() for key in self._keys)})"
            f" (set ENSUE_KEY, or restore the key file, it was encrypted with; nothing was changed)"
        )

    def _current(self) -> KeyRing:
        return self._ring or self._take(self._source.create())

    def _take(self, ring: KeyRing) -> KeyRing:
        with self._loading:
            self._keys = ring.by_id()
            self._keys_by_text = {id_.hex(): key for id_, key in self._keys.items()}
            self._ring = ring
        return ring


def _first_form(key: bytes, content: bytes, context: str) -> str:
    """Return a fingerprint of the form that the first release made, to compare with a stored one."""
    own = hmac.digest(key, _FINGERPRINT_LABEL + context.encode(), "sha256")
    return hmac.digest(own, content, "sha256").hex()[: 2 * _DIGEST_BYTES]
