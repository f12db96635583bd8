"""Cached grains of resources, for later commands: encrypted, with their age and their registration.

Grains are used while they are younger than the option `grains_cache_expiration`, and only for the
registration that they were gathered for. All of them are encrypted with the project's key, since they may
hold secrets. An error of the cache is logged, and the grains are gathered.

Source: Salt's minion option `grains_cache` and `grains_cache_expiration`.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.sensitive_paths import changed_paths, values_at
from ensue.store.registry.grains_file import GrainsFile, SealedGrains

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.store.registry.lock_waits import LockWaits

_logger = logging.getLogger(__name__)

DEFAULT_EXPIRATION_S: Final = 300
"""How long grains are used unless `ensue.yaml` says otherwise."""

MOST_PENDING: Final = 1000
"""The most resources whose grains wait to be written."""


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """What is encrypted.

    Args:
        binding: the registration that they were gathered for.
        sensitive: paths of the grains that hold secrets known at that time.
        grains: MessagePack of the grains.
    """

    binding: str
    sensitive: tuple[str, ...]
    grains: msgspec.Raw


_DECODER: Final = msgspec.msgpack.Decoder(_Kept)


class GrainsCache:
    """The cached grains of one project; any thread may call.

    Args:
        cachedir: the project's cachedir.
        vault: encrypts them.
        masker: masks the secrets of this process; learns those that are read.
        expiration_s: for how long grains are used; 0: none are kept.
        clock: returns seconds since the epoch.
        waits: ends its waits for other processes.
    """

    def __init__(
        self,
        cachedir: Path,
        *,
        vault: Vault,
        masker: Masker,
        expiration_s: float,
        clock: Callable[[], float] = time.time,
        waits: LockWaits | None = None,
    ) -> None:
        self._file = GrainsFile(cachedir, waits)
        self._vault = vault
        self._masker = masker
        self._expiration_s = expiration_s
        self._clock = clock
        self._pending: dict[Srn, tuple[float, str, DataMap]] = {}
        self._turn = threading.Lock()

    @property
    def is_full(self) -> bool:
        """Whether enough grains wait that `flush` is due."""
        return len(self._pending) >= MOST_PENDING

    def read(self, bindings: Mapping[Srn, str]) -> dict[Srn, DataMap]:
        """Return the grains that are young enough, with one query for all; this blocks.

        Args:
            bindings: the registration of each resource that is asked for, see `keep`.
        """
        now_s = self._clock()
        by_name = {str(srn): srn for srn in bindings} if self._expiration_s else {}
        try:
            rows = self._file.read(by_name, younger_than_s=now_s - self._expiration_s) if by_name else []
        except StoreError as error:
            _logger.info("%s; grains are gathered again", error)
            return {}
        by_srn: dict[Srn, DataMap] = {}
        for row in rows:
            srn = by_name[row.srn]
            # If the clock was set back, they would never expire.
            if row.gathered_at_s <= now_s and (grains := self._opened(row, bindings[srn])) is not None:
                by_srn[srn] = grains
        return by_srn

    def gathered_at_s(self, srn: Srn, binding: str) -> float | None:
        """Return when the grains in use were gathered, seconds since the epoch; None when there are none.

        Raises:
            StoreError: the file cannot be read.
        """
        now_s = self._clock()
        for row in self._file.read([str(srn)], younger_than_s=now_s - self._expiration_s):
            if self._opened(row, binding) is not None:
                return row.gathered_at_s
        return None

    def keep(self, srn: Srn, binding: str, grains: DataMap) -> None:
        """Cache grains that were just gathered; `flush` writes them.

        Args:
            srn: the resource.
            binding: the registration that they belong to; `read` returns them only for the same one.
            grains: the grains.
        """
        if self._expiration_s:
            with self._turn:
                self._pending[srn] = (self._clock(), binding, grains)

    def flush(self) -> None:
        """Write the grains that wait; this blocks."""
        with self._turn:
            pending, self._pending = self._pending, {}
        if not pending:
            return
        try:
            rows = [row for srn, kept in pending.items() if (row := self._sealed(srn, *kept)) is not None]
            self._file.write(rows, older_than_s=self._clock() - self._expiration_s)
        except StoreError as error:
            # A project in a read-only folder can still be planned.
            _logger.info("%s; grains are not kept", error)

    def drop(self, srns: Iterable[Srn]) -> None:
        """Remove the cached grains of resources; this blocks."""
        gone = list(srns)
        with self._turn:
            for srn in gone:
                self._pending.pop(srn, None)
        try:
            self._file.remove(map(str, gone))
        except StoreError as error:
            _logger.warning("%s; the grains of %s are not removed", error, ", ".join(map(str, gone)))

    def clear(self) -> None:
        """Remove all cached grains.

        Raises:
            StoreError: it cannot be removed.
        """
        self._file.clear()

    def replace_seen(self, srns: Iterable[Srn]) -> set[str]:
        """Record which resources exist, and remove the grains of those that are gone; this blocks.

        Returns:
            The names that were recorded before.

        Raises:
            StoreError: they cannot be written.
        """
        return self._file.replace_seen(map(str, srns))

    def close(self) -> None:
        """Close the file; call `flush` first."""
        self._file.close()

    def _sealed(self, srn: Srn, gathered_at_s: float, binding: str, grains: DataMap) -> SealedGrains | None:
        try:
            encoded = msgspec.msgpack.encode(grains)
            is_same = msgspec.msgpack.decode(encoded) == grains
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            is_same = False
            encoded = b""
        if not is_same:
            _logger.debug("the grains of %s hold a value that is not data; they are not kept", srn)
            return None
        masked = self._masker.data(grains) if self._masker.knows_secrets else grains
        sensitive = () if masked is grains else tuple(changed_paths(grains, masked))
        plain = msgspec.msgpack.encode(_Kept(binding, sensitive, msgspec.Raw(encoded)))
        sealed = self._vault.seal(plain, context=_context(str(srn), gathered_at_s))
        return SealedGrains(str(srn), gathered_at_s, sealed)

    def _opened(self, row: SealedGrains, binding: str) -> DataMap | None:
        """Return the grains of a row; None when they belong to another registration or cannot be read."""
        try:
            plain = self._vault.open(row.sealed, context=_context(row.srn, row.gathered_at_s))
            kept = _DECODER.decode(plain)
            if kept.binding != binding:
                return None
            grains: DataMap = msgspec.msgpack.decode(kept.grains, type=dict[str, Any])
        except (StoreError, msgspec.MsgspecError) as error:
            _logger.debug("the cached grains of %s cannot be used: %s", row.srn, error)
            return None
        self._masker.add_guessed(*values_at(grains, kept.sensitive))
        return grains


def _context(srn: str, gathered_at_s: float) -> str:
    return f"grains:{srn}:{gathered_at_s!r}"
