"""One change of the registry: its entries, its lines for the audit log, and registering.

It opens no store and writes no log; `registry` does both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.resource import Registration, source_label
from ensue.store.registry import invalidation, registration
from ensue.store.registry.audit_form import AuditedAction
from ensue.store.registry.working_set import WorkingSet  # noqa: TC001 -- msgspec reads the annotation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn
    from ensue.store.registry.audit_form import AuditAction
    from ensue.store.registry.entry import RegistryEntry
    from ensue.store.registry.registration import CheckedRegistration, Registrar


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """A change that is not committed yet.

    Args:
        working: the entries that it reads and changes.
        now_s: the moment, seconds since the epoch.
        accesses: what the audit log will record of it.
    """

    working: WorkingSet
    now_s: float
    accesses: list[AuditedAction] = msgspec.field(default_factory=list[AuditedAction])

    def note(self, action: AuditAction, entries: Sequence[RegistryEntry]) -> list[Srn]:
        """Note what was done to entries, with their reasons; return their names."""
        self.accesses.extend(AuditedAction(action, str(entry.srn), entry.reason) for entry in entries)
        return [entry.srn for entry in entries]


def register_all(
    operation: Operation, candidates: Sequence[CheckedRegistration], registrar: Registrar
) -> list[Registration]:
    """Register checked requests in order; return the outcome of each.

    Args:
        operation: the change.
        candidates: the requests.
        registrar: what registering needs besides the entries.

    Raises:
        ResourceConflictError: another type has an entry of this id.
        WrongKeyError: a former configuration cannot be compared.
        TamperedError: a former configuration is not what was written.
    """
    grains_of = {
        checked_registration.request.source: checked_registration.request.source_grains
        for checked_registration in candidates
        if checked_registration.request.source is not None
        and checked_registration.request.source_grains is not None
    }
    observed = _observe_all(operation, candidates, grains_of, registrar)
    done: list[Registration] = []
    for candidate in candidates:
        source = candidate.request.source
        grains = grains_of.get(source) if candidate.request.source_grains is not None and source else None
        outcome = registration.register(operation.working, candidate, grains=grains, registrar=registrar)
        label = source_label(source, candidate.request.declared_by) if source else ""
        why = f"{outcome.word}, derived from {label}" if label else outcome.word
        operation.accesses.append(AuditedAction("register", str(candidate.request.srn), why))
        operation.note("invalidate", outcome.invalidated)
        done.append(_with_observed(outcome.registration, observed.pop(source, ())))
    return done


def _observe_all(
    operation: Operation,
    candidates: Sequence[CheckedRegistration],
    grains_of: Mapping[Srn, Mapping[str, Data]],
    registrar: Registrar,
) -> dict[Srn | None, Sequence[Srn]]:
    observed: dict[Srn | None, Sequence[Srn]] = {}
    for source, grains in grains_of.items():
        spare = {candidate.request.srn for candidate in candidates if candidate.request.source == source}
        hit = invalidation.observe(operation.working, source, grains, key_of=registrar.key_of, spare=spare)
        observed[source] = operation.note("invalidate", hit)
    return observed


def _with_observed(done: Registration, observed: Sequence[Srn]) -> Registration:
    if not observed:
        return done
    invalidated = tuple(sorted({*done.invalidated, *observed}))
    return Registration(srn=done.srn, changed=done.changed, invalidated=invalidated)
