"""One registered resource as the registry keeps it.

A `RegistryEntry` has the same form in memory and in the store, except for `config`, which is sealed in the
store and plain in memory. Nothing is decided here.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.resource import RegistrationRequest, ResourceRecord, source_label

if TYPE_CHECKING:
    from ensue.core.model.resource import DeclaredBy, RegistryScope, ResourceStatus
    from ensue.core.model.srn import Srn

__all__ = ["NEVER_S", "RegistrationRequest", "RegistryEntry", "SourceRecord", "iso_time"]

NEVER_S: Final = 1e15
"""The expiry of an entry that never expires; a number, so that every database can compare it."""


class SourceRecord(msgspec.Struct, frozen=True):
    """What was recorded about a source when resources were derived from it; many entries share one.

    Args:
        scope: the entries' scope.
        watch: grain keys of the source, sorted.
        watched: fingerprints of their values, as far as they were known: (key, hex), sorted.
    """

    scope: RegistryScope
    watch: tuple[str, ...]
    watched: tuple[tuple[str, str], ...]


class RegistryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A registered resource.

    Args:
        srn: its name.
        scope: where it is kept: `run` in memory, `cache` in the store.
        config: its configuration, encoded; sealed in the store.
        source: what it was derived from.
        watch: grain keys of the source, sorted.
        watched: fingerprints of their values at registration, as far as they were known: (key, hex) sorted.
        minion: id of the minion that registered it and manages it.
        active: whether it may be targeted.
        reason: why it was invalidated or orphaned; empty while active.
        registered_at_s: since when it has been active with this configuration, seconds since the epoch.
        seen_at_s: when it was last registered or confirmed.
        ttl_s: how long that holds; 0: forever.
        expires_at_s: when it becomes invalid; `NEVER_S` when it does not.
        orphaned: whether it is not active because no state registers it any more.
        declared_by: the declaration that registered it last; None if it was not registered by a state.
    """

    srn: Srn
    scope: RegistryScope
    config: bytes
    source: Srn | None
    watch: tuple[str, ...]
    watched: tuple[tuple[str, str], ...]
    minion: str
    active: bool
    reason: str
    registered_at_s: float
    seen_at_s: float
    ttl_s: float
    expires_at_s: float
    orphaned: bool = False
    declared_by: DeclaredBy | None = None

    @property
    def status(self) -> ResourceStatus:
        """Whether it may be targeted, and if not, why."""
        if self.active:
            return "active"
        return "orphaned" if self.orphaned else "invalidated"

    @property
    def noted(self) -> SourceRecord:
        """What was noted of its source."""
        return SourceRecord(self.scope, self.watch, self.watched)

    @property
    def context(self) -> str:
        """The context that its configuration is sealed for; under another name or source it does not open."""
        # Quoted: an id may hold any character, and no two entries may share a context.
        origin = "" if self.source is None else f" from {json.dumps(str(self.source))}"
        return f"derived resource {json.dumps(str(self.srn))}{origin}"

    def record(self) -> ResourceRecord:
        """Return what is known of it, without its configuration."""
        return ResourceRecord(
            srn=self.srn,
            managing_minions=(self.minion,),
            status=self.status,
            source=self.source,
            origin="derived",
            registered_at=iso_time(self.registered_at_s),
            expires_at=iso_time(self.expires_at_s) if self.expires_at_s < NEVER_S else "",
            invalidated_because=self.reason,
            source_label=source_label(self.source, self.declared_by) if self.source else "",
        )


def iso_time(seconds: float) -> str:
    """Write a moment as ISO 8601 in UTC."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="milliseconds")
