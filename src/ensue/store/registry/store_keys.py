"""The keys of a store: the one it is encrypted with, the one of its fingerprints, and changing them.

The first key that writes to a store claims it. From then on, only a holder of one of its keys can write, so
a store never holds entries that its owner cannot read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.store.registry import fingerprint, registration

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.registry import RegistryScope
    from ensue.store.registry.entry import RegistryEntry
    from ensue.store.registry.store import CrossRunStore
    from ensue.store.registry.tables import StoredEntries
    from ensue.store.registry.vault import ProjectVault

_KEY_FACT: Final = "key_id"
_FINGERPRINT_FACT: Final = "fingerprint_key"
_FINGERPRINT_CONTEXT: Final = "the store's fingerprint key"


class StoreKeys:
    """The keys of one store.

    Args:
        vault: holds the project's keys.
        store: the store, for its name in messages.
    """

    def __init__(self, vault: ProjectVault, store: CrossRunStore) -> None:
        self._vault = vault
        self._store = store
        # Entries that end with the run need no key that outlives it.
        self._run_fingerprint_key = fingerprint.new_key()

    def claim(self, stored: StoredEntries) -> None:
        """Claim the store with the project's key if nobody has, before anything is written to it.

        Raises:
            WrongKeyError: it is encrypted with a key that is not available.
            KeyFileError: there is no key, or it cannot be used.
        """
        if self._is_ours(stored):
            return
        stored.set_fact(_KEY_FACT, self._vault.current_key_id())
        self._seal_fingerprint_key(stored, fingerprint.new_key())

    def require(self, stored: StoredEntries) -> None:
        """Make sure that the store's key is available.

        Raises:
            WrongKeyError: it is not.
            KeyFileError: there is no key, or it cannot be used.
        """
        self._is_ours(stored)

    def fingerprint_keys(self, stored: StoredEntries | None) -> Callable[[RegistryScope], bytes]:
        """Return a function that finds the key of a scope's fingerprints; decrypt the store's if needed."""
        opened: list[bytes] = []

        def key_of(scope: RegistryScope) -> bytes:
            if scope == "run" or stored is None:
                return self._run_fingerprint_key
            if not opened:
                opened.append(self._open_fingerprint_key(stored))
            return opened[0]

        return key_of

    def seal_all(self, stored: StoredEntries) -> int:
        """Encrypt everything in the store with the vault's current key; return the number of configurations.

        Raises:
            WrongKeyError: something is encrypted with a key that is not available.
            TamperedError: something is not what was written.
        """
        count = 0
        for page in stored.pages():
            stored.update_configs([self._sealed_anew(entry) for entry in page])
            count += len(page)
        if stored.fact(_KEY_FACT) is not None:
            self._seal_fingerprint_key(stored, self._open_fingerprint_key(stored))
            stored.set_fact(_KEY_FACT, self._vault.current_key_id())
        return count

    def _is_ours(self, stored: StoredEntries) -> bool:
        """Return whether the store is encrypted with a key of ours; False if nobody has claimed it yet."""
        key = stored.fact(_KEY_FACT)
        if key is not None and not self._vault.holds(key):
            raise self._vault.wrong_key(key, what=self._store.label)
        return key is not None

    def _sealed_anew(self, entry: RegistryEntry) -> RegistryEntry:
        plain = registration.opened(entry, self._vault)
        return msgspec.structs.replace(entry, config=self._vault.seal(plain, context=entry.context))

    def _open_fingerprint_key(self, stored: StoredEntries) -> bytes:
        try:
            sealed = bytes.fromhex(stored.fact(_FINGERPRINT_FACT) or "")
        except ValueError:
            sealed = b""
        return self._vault.open(sealed, context=_FINGERPRINT_CONTEXT)

    def _seal_fingerprint_key(self, stored: StoredEntries, key: bytes) -> None:
        stored.set_fact(_FINGERPRINT_FACT, self._vault.seal(key, context=_FINGERPRINT_CONTEXT).hex())
