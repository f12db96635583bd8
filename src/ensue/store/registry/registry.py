"""The registry of derived resources: the run's own entries in front of the cross-run store.

Implements `ensue.core.contracts.registry.DerivedRegistry`. Every operation is one transaction: read, decide
on a `WorkingSet`, write, log, commit. Methods may be called from any thread and block for milliseconds.
Constructing a registry, and reading while there is no store, touch no file and import nothing heavy.

Source: derived-resources document.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.registry import DerivedRegistry
from ensue.core.model.resource import Orphaned
from ensue.core.model.secret_values import secret_values
from ensue.store.registry import audit_check, configuration, invalidation, registration
from ensue.store.registry.audit import AuditLog
from ensue.store.registry.audit_files import AuditLimits
from ensue.store.registry.audit_form import AuditedAction
from ensue.store.registry.entry import NEVER_S, RegistrationRequest
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.lookups import Lookups
from ensue.store.registry.memory import RunEntries
from ensue.store.registry.operation import Operation, register_all
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.store_keys import StoreKeys
from ensue.store.registry.vault import ProjectVault
from ensue.store.registry.working_set import WorkingSet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from ensue.core.contracts.other_resources import Withdrawal
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.resource import DeclaredBy, Registration, ResourceRecord
    from ensue.core.model.srn import Srn
    from ensue.store.registry.audit_check import AuditFault
    from ensue.store.registry.audit_form import AuditAction
    from ensue.store.registry.entry import RegistryEntry
    from ensue.store.registry.registration import CheckedRegistration, ClaimedElsewhere, ConfigurationFaults
    from ensue.store.registry.tables import StoredEntries

_WITHDRAWN: Final[Mapping[Withdrawal, AuditAction]] = MappingProxyType(
    {"invalidated": "invalidate", "orphaned": "orphan", "forgotten": "forget"}
)

AUDIT_FILE: Final = "audit.jsonl"
"""Name of the audit log below the cachedir."""


def _nobody(_resource_id: str, /) -> Srn | None:
    return None


def _no_faults(_srn: Srn, _config: Mapping[str, Data], /) -> Sequence[str]:
    return ()


class ResourceRegistry(DerivedRegistry):
    """The registry of one project, as one run or command sees it.

    Args:
        cachedir: the project's cachedir; holds the store, the key file and the audit log.
        minion_id: id of the managing minion, under which resources are registered.
        run_id: the run that uses it; empty outside of runs.
        store_url: the option `store_url`; None is `<cachedir>/store.db`.
        vault: seals configurations; None is the project's own, with the option `key_source` at `file`.
        masker: learns every secret that is registered or read.
        claimed_elsewhere: knows the ids that pillar declares.
        configuration_faults: knows what the types accept; by default everything is accepted.
        audit_limits: how long the audit log may become.
        clock: returns seconds since the epoch.
        waits: ends the waits of the store and the audit log for other processes.

    Raises:
        StoreError: `store_url` is invalid.
    """

    def __init__(
        self,
        cachedir: Path,
        *,
        minion_id: str,
        run_id: str = "",
        store_url: str | None = None,
        vault: ProjectVault | None = None,
        masker: Masker | None = None,
        claimed_elsewhere: ClaimedElsewhere = _nobody,
        configuration_faults: ConfigurationFaults = _no_faults,
        audit_limits: AuditLimits | None = None,
        clock: Callable[[], float] = time.time,
        waits: LockWaits | None = None,
    ) -> None:
        self._minion_id = minion_id
        self._waits = waits = waits or LockWaits()
        self._store = CrossRunStore(cachedir, url=store_url, waits=waits)
        self._vault = vault or ProjectVault.of_project(cachedir)
        self._masker = masker
        self._claimed_elsewhere = claimed_elsewhere
        self._configuration_faults = configuration_faults
        self._clock = clock
        limits = audit_limits or AuditLimits()
        self._audit = AuditLog(cachedir / AUDIT_FILE, run_id=run_id, clock=clock, limits=limits, waits=waits)
        self._memory = RunEntries()
        self._keys = StoreKeys(self._vault, self._store)
        self._turn = threading.RLock()

    @property
    def vault(self) -> ProjectVault:
        """The vault that configurations are sealed with."""
        return self._vault

    def begin_run(self, run_id: str) -> None:
        """Name the run in the audit log from now on, and drop what a run before it kept in memory."""
        with self._turn:
            self._audit.run_id = run_id
            self._memory = RunEntries()

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none.

        Requests with the same source are treated as having seen it at the same moment: the last grains count.

        Args:
            requests: in order; a later one sees what an earlier one did.

        Returns:
            The outcome of each, in the same order.

        Raises:
            ResourceConflictError: an id is taken; the message names both.
            ResourceError: a type refuses a configuration, or one cannot be stored.
            StoreError: the store cannot be read or written.
        """
        for request in requests:
            self._mask(request.config)
        candidates = [
            registration.check(request, self._claimed_elsewhere, self._configuration_faults)
            for request in requests
        ]
        with self._changing(create=any(request.scope == "cache" for request in requests)) as operation:
            operation.working.load(request.srn.id for request in requests)
            return self._registered(operation, candidates)

    def get(self, srn: Srn, *, why: str = "", even_orphaned: bool = False) -> DataMap | None:
        """Return the configuration of an active resource; see the contract.

        Args:
            srn: the resource.
            why: what it is needed for, for the audit log.
            even_orphaned: return that of an orphaned resource too.
        """
        entry = self._standing(srn)
        if entry is None or not (entry.active or (even_orphaned and entry.orphaned)):
            return None
        if entry.scope == "cache":
            # First the log, then the secret: what cannot be logged is not decrypted.
            self._audit.append((AuditedAction("decrypt", str(srn), why),))
        config = configuration.decode(registration.opened(entry, self._vault), srn=srn)
        self._mask(config)
        return config

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return what is known of a resource, invalidated ones included."""
        entry = self._standing(srn)
        return None if entry is None else entry.record()

    def records(self) -> list[ResourceRecord]:
        """Return every derived resource, sorted by SRN."""
        self._expire_due()
        with self._looking() as lookups:
            entries = lookups.every()
        return sorted((entry.record() for entry in entries), key=lambda record: record.srn)

    def find(self, ids: Iterable[str]) -> list[ResourceRecord]:
        """Return what is known of the resources that have one of these ids, sorted by SRN."""
        self._expire_due()
        with self._looking() as lookups:
            registry_entries = lookups.find(ids)
        return sorted((entry.record() for entry in registry_entries), key=lambda record: record.srn)

    def types(self) -> list[str]:
        """Return the types that have a derived resource, sorted."""
        with self._looking() as lookups:
            return lookups.types()

    def list_for_type(self, resource_type: str, *, active: bool = True) -> list[str]:
        """Return the ids of all active resources of a type, or of the invalidated ones; sorted."""
        self._expire_due()
        with self._looking() as lookups:
            return lookups.ids(resource_type, active=active)

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Compare a source's grains with what was recorded about them; see the contract."""
        with self._reading() as stored:
            noted = WorkingSet(self._memory, stored).noted(source)
        if not noted:
            return []
        with self._changing(create=False) as operation:
            key_of = self._keys.fingerprint_keys(operation.working.stored)
            hit = invalidation.observe(operation.working, source, grains, key_of=key_of)
            return operation.note("invalidate", hit)

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source, transitively; return what was invalidated, sorted."""
        why = reason or f"{source} was invalidated"
        with self._changing(create=False) as operation:
            hit = invalidation.invalidate_derived(operation.working, source, reason=why)
            return operation.note("invalidate", hit)

    def declarations(self, *, orphaned: bool = False) -> dict[DeclaredBy, list[Srn]]:
        """Return the resources that this minion registered through declarations; see the contract."""
        with self._reading() as stored:
            return {} if stored is None else stored.declarations(self._minion_id, orphaned=orphaned)

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan the resources that a declaration no longer registers; see the contract."""
        with self._changing(create=False) as operation:
            operation.working.load(srn.id for srn in srns)
            entries = map(operation.working.find_active, srns)
            # Somebody else may have registered one of them meanwhile.
            gone = [
                registry_entry.srn
                for registry_entry in entries
                if registry_entry is not None and registry_entry.declared_by == declared_by
            ]
            hit, below = invalidation.orphan(operation.working, gone, reason=reason)
            orphaned = operation.note("orphan", hit)
            invalidated = operation.note("invalidate", below)
            return Orphaned(srns=tuple(orphaned), invalidated=tuple(invalidated))

    def withdraw(self, srns: Sequence[Srn], *, minion: str, how: Withdrawal, reason: str) -> list[Srn]:
        """Record that a minion of a fleet has invalidated, orphaned or forgotten resources that it manages.

        Args:
            srns: the resources; those of other minions stay as they are.
            minion: the minion.
            how: what has happened to them.
            reason: why.

        Returns:
            Those that it manages, sorted.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._changing(create=False) as operation:
            operation.working.load(srn.id for srn in srns)
            hit = invalidation.withdraw(operation.working, srns, minion=minion, how=how, reason=reason)
            for entry in hit if how == "forgotten" else ():
                operation.working.remove(entry.srn.id)
            return operation.note(_WITHDRAWN[how], hit)

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry altogether; False when there was none."""
        with self._changing(create=False) as operation:
            entry = operation.working.find(srn.id)
            if entry is None or entry.srn != srn:
                return False
            operation.accesses.append(AuditedAction("forget", str(srn)))
            return operation.working.remove(srn.id)

    def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources, nearest first; a cycle ends before its first member repeats."""
        return self.provenances((srn,)).get(srn, ())

    def provenances(self, srns: Iterable[Srn]) -> dict[Srn, tuple[Srn, ...]]:
        """Return the chains of sources of many resources; those without a source are left out."""
        with self._looking() as lookups:
            return lookups.provenances(srns)

    def sources_among(self, srns: Iterable[Srn]) -> set[Srn]:
        """Return which of the sources have derived resources."""
        with self._looking() as lookups:
            return lookups.sources_among(srns)

    def rotate(self) -> int:
        """Change to another key and encrypt every configuration with it; old keys still decrypt.

        Returns:
            How many configurations were encrypted again.

        Raises:
            KeyFileError: the keys cannot be changed.
            WrongKeyError: something is encrypted with a key that is not available; nothing was changed.
            TamperedError: something is not what was written; nothing was encrypted again.
        """
        with self._turn, self._transaction(create=False) as stored:
            if stored is not None:
                self._keys.require(stored)
            new_key = self._vault.rotate(self._waits)
            count = 0 if stored is None else self._keys.seal_all(stored)
            self._audit.append((AuditedAction("rotate", "", f"{count} configurations, key {new_key}"),))
        return count

    def audit_entries(self) -> list[dict[str, Any]]:
        """Return the audit log, oldest first."""
        return audit_check.read_entries(self._audit.path, self._waits)

    def audit_fault(self) -> AuditFault | None:
        """Check all files of the audit log; return the first error, None if the log is intact."""
        return audit_check.first_fault(self._audit.path, self._waits)

    def close(self) -> None:
        """Close the store and the log; using the registry again opens them again."""
        self._store.close()
        self._audit.close()

    def _registered(
        self, operation: Operation, candidates: Sequence[CheckedRegistration]
    ) -> list[Registration]:
        if operation.working.stored is not None:
            self._keys.claim(operation.working.stored)
        registrar = registration.Registrar(
            vault=self._vault,
            key_of=self._keys.fingerprint_keys(operation.working.stored),
            minion=self._minion_id,
            now_s=operation.now_s,
        )
        return register_all(operation, candidates, registrar)

    def _standing(self, srn: Srn) -> RegistryEntry | None:
        """Return an entry as it is now, expiry included."""
        entry, next_expiry_s = self._look(srn.id)
        if entry is not None and next_expiry_s <= self._clock():
            self._expire()
            entry, _ = self._look(srn.id)
        return entry if entry is not None and entry.srn == srn else None

    def _look(self, key: str) -> tuple[RegistryEntry | None, float]:
        own = self._memory.find(key)
        if own is not None:
            return own, self._next_expiry_s()
        with self._reading() as stored:
            entry, next_expiry_s = (None, NEVER_S) if stored is None else stored.find_one(key)
        return entry, min(next_expiry_s, self._memory.next_expiry_s)

    def _next_expiry_s(self) -> float:
        with self._reading() as stored:
            return min(self._memory.next_expiry_s, NEVER_S if stored is None else stored.next_expiry_s())

    def _expire_due(self) -> None:
        if self._next_expiry_s() <= self._clock():
            self._expire()

    def _expire(self) -> None:
        # Every change first marks what has expired; this one does nothing else.
        with self._changing(create=False):
            pass

    @contextmanager
    def _changing(self, *, create: bool) -> Generator[Operation]:
        with self._turn:
            with self._transaction(create=create) as stored:
                working = WorkingSet(self._memory, stored)
                operation = Operation(working=working, now_s=self._clock())
                operation.note("invalidate", invalidation.invalidate_expired(working, operation.now_s))
                yield operation
                working.write_stored()
                # Before the commit, so that nothing is done without a line in the log.
                self._audit.append(operation.accesses)
            working.write_memory()

    def _transaction(self, *, create: bool) -> AbstractContextManager[StoredEntries | None]:
        return self._store.transaction() if create or self._store.exists() else nullcontext()

    def _reading(self) -> AbstractContextManager[StoredEntries | None]:
        return self._store.reading() if self._store.exists() else nullcontext()

    @contextmanager
    def _looking(self) -> Generator[Lookups]:
        with self._reading() as stored:
            yield Lookups(self._memory, stored)

    def _mask(self, config: Mapping[str, Any]) -> None:
        if self._masker is not None:
            self._masker.add(*secret_values(config))
