"""Fingerprints of watched grains: whether a source has changed since something was derived from it.

A fingerprint is an HMAC with a key of its own, so a grain that is a secret cannot be guessed from the store.
Each grain has its own fingerprint, so a message can name the one that changed.

Source: derived-resources document, "Cache invalidation granularity".
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.store.registry import configuration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn

Watched = tuple[tuple[str, str], ...]
"""Watched keys, each with the fingerprint of its value; sorted."""

STATUS_KEY: Final = "status"
HEALTHY_STATUS: Final = "succeeded"
"""The status of a source for which none was recorded: only a source with it has derived resources."""

_FINGERPRINT_CHARS: Final = 32
_KEY_BYTES: Final = 32


def new_key() -> bytes:
    """Return a key to make fingerprints with."""
    return secrets.token_bytes(_KEY_BYTES)


class GrainsComparison(msgspec.Struct, frozen=True):
    """A source's grains compared with what was recorded about them.

    Args:
        changed: keys whose value changed or is gone.
        watched: the fingerprints to record from now on, including those of keys that had none.
    """

    changed: tuple[str, ...]
    watched: Watched


def take(grains: Mapping[str, Data], watch: Iterable[str], *, key: bytes, source: Srn) -> Watched:
    """Return the fingerprints of the watched grains that exist.

    Args:
        grains: the source's grains.
        watch: keys; one that does not exist as such may be a colon path (`network:address`).
        key: from `new_key`.
        source: whose grains they are, for messages.

    Raises:
        ResourceError: a watched grain is not data.
    """
    present = configuration.watched_part(grains, tuple(watch))
    return tuple(sorted((name, _fingerprint(name, value, key, source)) for name, value in present.items()))


def compare(
    grains: Mapping[str, Data], *, watch: Iterable[str], noted: Watched, key: bytes, source: Srn
) -> GrainsComparison:
    """Compare a source's grains with what was recorded about them.

    Args:
        grains: the source's grains now.
        watch: the watched keys.
        noted: their fingerprints when it was registered; keys may be missing.
        key: the key that they were made with.
        source: whose grains they are.

    Raises:
        ResourceError: a watched grain is not data.
    """
    now = dict(take(grains, watch, key=key, source=source))
    before = dict(noted)
    if STATUS_KEY in now and STATUS_KEY not in before:
        before[STATUS_KEY] = _fingerprint(STATUS_KEY, HEALTHY_STATUS, key, source)
    changed = tuple(sorted(name for name, value in before.items() if now.get(name) != value))
    return GrainsComparison(changed, tuple(sorted((before | now).items())))


def _fingerprint(name: str, value: Data, key: bytes, source: Srn) -> str:
    encoded = configuration.encode([name, value], srn=source)
    return hmac.digest(key, encoded, hashlib.sha256).hex()[:_FINGERPRINT_CHARS]
