"""What registering a resource means for the entries: new, changed, confirmed, or a conflict.

Works on a `WorkingSet`; opens no store and writes no log.

Source: derived-resources document, "The pattern", "Provenance".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from ensue.core.errors import ResourceConflictError, ResourceError
from ensue.core.model.resource import Registration
from ensue.store.registry import configuration, fingerprint
from ensue.store.registry.entry import NEVER_S, RegistryEntry
from ensue.store.registry.invalidation import invalidate_derived

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.registry import RegistryScope
    from ensue.core.contracts.vault import Vault
    from ensue.core.model.data import Data
    from ensue.core.model.resource import DeclaredBy
    from ensue.core.model.srn import Srn
    from ensue.store.registry.entry import RegistrationRequest
    from ensue.store.registry.working_set import WorkingSet

_SCOPES: Final = frozenset({"cache", "run"})


class ClaimedElsewhere(Protocol):
    """Knows the ids that are taken outside of the registry (declared in pillar)."""

    def __call__(self, resource_id: str, /) -> Srn | None:
        """Return the resource that has this id, None when it is free."""
        ...


class ConfigurationFaults(Protocol):
    """Knows what a resource type accepts as configuration."""

    def __call__(self, srn: Srn, config: Mapping[str, Data], /) -> Sequence[str]:
        """Return what is wrong with a configuration, one sentence per error."""
        ...


class CheckedRegistration(msgspec.Struct, frozen=True, kw_only=True):
    """A checked request, with its configuration encoded.

    Args:
        request: the request.
        plain: its encoded configuration, not encrypted.
        watch: its watched keys, sorted.
    """

    request: RegistrationRequest
    plain: bytes
    watch: tuple[str, ...]


class Registrar(msgspec.Struct, frozen=True, kw_only=True):
    """What registering needs to know besides the entries.

    Args:
        vault: seals what goes into the store.
        key_of: returns the key of a scope's fingerprints.
        minion: id of the minion that registers.
        now_s: the moment, seconds since the epoch.
    """

    vault: Vault
    key_of: Callable[[RegistryScope], bytes]
    minion: str
    now_s: float


class RegistrationOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What registering did.

    Args:
        registration: what the caller gets.
        invalidated: entries that it made invalid.
        word: `new`, `changed`, `active again` or `confirmed`, for the log.
    """

    registration: Registration
    invalidated: list[RegistryEntry]
    word: str


def check(
    request: RegistrationRequest,
    claimed_elsewhere: ClaimedElsewhere,
    configuration_faults: ConfigurationFaults,
) -> CheckedRegistration:
    """Refuse a request that is invalid, whatever is registered already.

    Raises:
        ResourceConflictError: its id is taken outside of the registry.
        ResourceError: its type refuses the configuration, it cannot be stored, or its lifetime or source is
            invalid.
    """
    srn = request.srn
    claimed = claimed_elsewhere(srn.id)
    if claimed is not None:
        msg = (
            f"{srn} cannot be registered: {claimed} is declared in pillar, and ids are unique over all types"
        )
        raise ResourceConflictError(f"{msg} (choose another id, or remove the declaration)")
    if request.source == srn:
        raise ResourceError(f"{srn} cannot be derived from itself (name what it was derived from)")
    _check_options(request)
    # The minion that registers it has its type, and has checked it.
    if not request.minion and (faults := configuration_faults(srn, request.config)):
        raise ResourceError(f"{srn} is not registered: {'; '.join(faults)}")
    watch = (request.watch,) if isinstance(request.watch, str) else request.watch
    plain = configuration.encode(request.config, srn=srn)
    return CheckedRegistration(request=request, plain=plain, watch=tuple(sorted(set(watch))))


def _check_options(request: RegistrationRequest) -> None:
    """Refuse an invalid lifetime or scope: plug-ins and other programs may pass anything."""
    srn, ttl_s, scope = request.srn, request.ttl_s, request.scope
    is_number = isinstance(ttl_s, int | float) and not isinstance(ttl_s, bool)
    if ttl_s is not None and not (is_number and ttl_s > 0 and math.isfinite(ttl_s)):
        raise ResourceError(f"{srn}: ttl_s is {ttl_s!r} (write a number of seconds greater than 0)")
    if scope not in _SCOPES:
        raise ResourceError(f"{srn}: scope is {scope!r} (write `cache` or `run`)")


def register(
    working: WorkingSet,
    candidate: CheckedRegistration,
    *,
    grains: Mapping[str, Data] | None,
    registrar: Registrar,
) -> RegistrationOutcome:
    """Create or update the entry of a request.

    Args:
        working: the entries.
        candidate: the request.
        grains: its source's grains now, None if they are not known.
        registrar: what registering needs besides the entries.

    Raises:
        ResourceConflictError: another type has an entry of this id, or another project that shares the store,
            or another minion of a fleet, registers it with another configuration.
        WrongKeyError: the former configuration cannot be compared.
        TamperedError: the former configuration is not what was written.
    """
    srn = candidate.request.srn
    before = working.find(srn.id)
    if before is not None and before.srn != srn:
        raise id_conflict(srn, before.srn)
    same_config = before is not None and opened(before, registrar.vault) == candidate.plain
    if before is not None and before.active and candidate.request.minion not in {"", before.minion}:
        if not same_config:
            raise _minion_conflict(srn, before.minion)
        return RegistrationOutcome(
            registration=Registration(srn=srn, changed=False), invalidated=[], word="confirmed"
        )
    if before is not None and before.active and (owner := _other_project(before, candidate)):
        if not same_config:
            raise _project_conflict(srn, owner)
        return RegistrationOutcome(
            registration=Registration(srn=srn, changed=False), invalidated=[], word="confirmed"
        )
    invalidated: list[RegistryEntry] = []
    if before is not None and not same_config:
        reason = f"{srn} was registered with another configuration"
        invalidated = invalidate_derived(working, srn, reason=reason, spare=(srn,))
    kept = before if before is not None and same_config and _same_terms(before, candidate) else None
    working.put(_entry(candidate, kept, grains, registrar))
    return RegistrationOutcome(
        registration=Registration(
            srn=srn,
            changed=kept is None or not kept.active,
            invalidated=tuple(entry.srn for entry in invalidated),
        ),
        invalidated=invalidated,
        word=_word(before, kept),
    )


def _other_project(before: RegistryEntry, candidate: CheckedRegistration) -> DeclaredBy | None:
    """Return the declaration in another project that registers an entry, if there is one."""
    former, now = before.declared_by, candidate.request.declared_by
    return former if former is not None and now is not None and former.is_of_other_project(now) else None


def opened(entry: RegistryEntry, vault: Vault) -> bytes:
    """Return an entry's encoded configuration, decrypted.

    Raises:
        WrongKeyError: it was sealed with a key that is not available.
        TamperedError: it is not what was written under this name and source.
    """
    return entry.config if entry.scope == "run" else vault.open(entry.config, context=entry.context)


def _entry(
    candidate: CheckedRegistration,
    kept: RegistryEntry | None,
    grains: Mapping[str, Data] | None,
    registrar: Registrar,
) -> RegistryEntry:
    """Return the entry that results from a request; `kept` is the former one if it already says the same."""
    request, now_s = candidate.request, registrar.now_s
    fresh = RegistryEntry(
        srn=request.srn,
        scope=request.scope,
        config=candidate.plain if kept is None else kept.config,
        source=request.source,
        watch=candidate.watch,
        watched=_watched(candidate, kept, grains, registrar),
        minion=request.minion or registrar.minion,
        active=True,
        reason="",
        # A resource that becomes active again is newly registered: nothing cached about it is valid any more.
        registered_at_s=kept.registered_at_s if kept is not None and kept.active else now_s,
        seen_at_s=now_s,
        ttl_s=request.ttl_s or 0.0,
        expires_at_s=NEVER_S if request.ttl_s is None else now_s + request.ttl_s,
        declared_by=request.declared_by,
    )
    if kept is not None or request.scope == "run":
        return fresh
    return msgspec.structs.replace(fresh, config=registrar.vault.seal(fresh.config, context=fresh.context))


def _same_terms(before: RegistryEntry, candidate: CheckedRegistration) -> bool:
    request = candidate.request
    return (before.scope, before.source, before.watch) == (request.scope, request.source, candidate.watch)


def _watched(
    candidate: CheckedRegistration,
    kept: RegistryEntry | None,
    grains: Mapping[str, Data] | None,
    registrar: Registrar,
) -> fingerprint.Watched:
    request = candidate.request
    if request.source is None:
        return ()
    if grains is not None:
        key = registrar.key_of(request.scope)
        return fingerprint.take(grains, candidate.watch, key=key, source=request.source)
    # An entry becomes active again because its source is healthy again, whatever its grains are now.
    return kept.watched if kept is not None and kept.active else ()


def _word(before: RegistryEntry | None, kept: RegistryEntry | None) -> str:
    if before is None:
        return "new"
    if kept is None:
        return "changed"
    return "confirmed" if kept.active else "active again"


def _project_conflict(srn: Srn, owner: DeclaredBy) -> ResourceConflictError:
    where = f"the SLS {owner.sls} of {owner.project or 'another project'}"
    msg = f"E0702: {srn} is registered by {where} with another configuration"
    return ResourceConflictError(f"{msg} (choose another id, or run: ensue resources forget {srn})")


def _minion_conflict(srn: Srn, minion: str) -> ResourceConflictError:
    msg = f"E0896: {srn} is registered by the minion {minion} with another configuration"
    return ResourceConflictError(
        f"{msg} (choose another id, or run on the master: ensue resources forget {srn})"
    )


def id_conflict(srn: Srn, holder: Srn) -> ResourceConflictError:
    """Return the error for a resource whose id belongs to another one.

    Args:
        srn: the resource that is to be registered.
        holder: the one that is registered.
    """
    msg = f"{srn} cannot be registered: its id belongs to {holder}, and ids are unique over all types"
    return ResourceConflictError(f"{msg} (choose another id, or run: ensue resources forget {holder})")
