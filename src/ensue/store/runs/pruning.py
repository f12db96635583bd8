"""Pruning: resources are orphaned if a state registered them in an earlier run and no longer does.

When a state has ended, its registrations are compared with those of earlier runs. At the end of a run,
resources that were registered through removed declarations are orphaned, too. Whatever this run has
registered or promises to register stays, and what it unregisters is not orphaned. A state that failed or was
skipped orphans nothing; nor does a block that was not rendered.

Source: derived-resources document, "Provenance"; the orphans of a deployment in the resource graph.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import StoreError
from ensue.core.model.resource import Orphaned
from ensue.store.runs.lost_targets import LostTargets
from ensue.store.runs.unsettled_states import UnsettledStates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.resource import DeclaredBy
    from ensue.core.model.returns import Return, StateReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.outcome import EngineOutcome
    from ensue.engine.services import CallSite
    from ensue.store.registry.run_registry import RunRegistry
    from ensue.store.runs.declarations import RunDeclarations

_DEPLOYED: Final = "starting_state.deployed"
_REMOVAL: Final = "remove what it made and run"
_Earlier = dict[tuple[str, str], dict["DeclaredBy", list["Srn"]]]


def earlier_declarations(registry: DerivedRegistry, project: str, *, orphaned: bool = False) -> _Earlier:
    """Return registrations of earlier runs, by scope and tag of the declaration; this blocks.

    Args:
        registry: the registry.
        project: the project's root where several projects share one store, else empty.
        orphaned: whether those of orphaned resources instead of those of active ones.
    """
    earlier: _Earlier = defaultdict(dict)
    for declared_by, srns in registry.declarations(orphaned=orphaned).items():
        if declared_by.project == project:
            earlier[declared_by.scope, declared_by.tag][declared_by] = srns
    return dict(earlier)


class Pruning:
    """Orphans resources that are no longer registered.

    Args:
        earlier: from `earlier_declarations`, before the run began.
        declarations: those of this run.
        registry: the run's registry.
        foresees: whether it is known before a chunk runs what its function registers.
        opens_scopes: whether a function, given its module and its name, may run further states.
        orphaned: the registrations of orphaned resources, of which a plan reports those that no declaration
            has brought back; None: the run is an apply.
        left_after: given the returns of the run, returns a function that counts what states made
            and is still on a target.
    """

    def __init__(
        self,
        earlier: _Earlier,
        declarations: RunDeclarations,
        registry: RunRegistry,
        foresees: Callable[[Chunk], bool],
        opens_scopes: Callable[[str, str], bool],
        *,
        orphaned: _Earlier | None,
        left_after: Callable[[Iterable[Return]], Callable[[str], int]],
    ) -> None:
        self._earlier = earlier
        self._declarations = declarations
        self._registry = registry
        self._foresees = foresees
        self._opens_scopes = opens_scopes
        self._orphaned = orphaned or {}
        self._test = orphaned is not None
        self._left_after = left_after

    @property
    def has_earlier(self) -> bool:
        """Whether an earlier run registered anything through a state."""
        return bool(self._earlier)

    def concerns(self, scope: str, tag: str) -> bool:
        """Return whether an earlier run registered something through a state."""
        return (scope, tag) in self._earlier

    async def prune(self, site: CallSite, returned: StateReturn) -> StateReturn:
        """Orphan what a called state no longer registers, and return the state's return with these changes.

        Args:
            site: the call.
            returned: what the state returned, once its `registers` are registered.

        Raises:
            StoreError: the store cannot be written.
        """
        results = (True, None) if site.test else (True,)
        if returned.result not in results:
            return returned
        chunk = site.chunk
        own = self._declarations.of(site)
        earlier = [
            declared_by
            for declared_by in self._earlier.get((site.plan.scope, chunk.tag), {})
            if (declared_by.sls, declared_by.environment) == (own.sls, own.environment)
        ]
        if site.test:
            earlier = [
                declared_by for declared_by in earlier if not declared_by.by_function or self._foresees(chunk)
            ]
        environment = site.plan.deployment.environment if site.plan.deployment else ""
        where = f"{chunk.full_function} in {chunk.sls or environment}"
        reason = f"{chunk.id} ({where}) no longer registers it"
        done = await asyncio.to_thread(self._orphan, earlier, reason, test=site.test)
        if not done.srns:
            return returned
        result = None if site.test else returned.result
        return msgspec.structs.replace(
            returned, result=result, changes=_with_orphaned(returned.changes, done)
        )

    async def end(self, outcome: EngineOutcome) -> tuple[Diagnostic, ...]:
        """Orphan what removed declarations registered, and return warnings about it.

        Args:
            outcome: how the run ended; one that was cut short orphans nothing here.

        Returns:
            A warning per resource, or one that says why they could not be orphaned.
        """
        if not (self._earlier or self._orphaned) or outcome.status == "interrupted" or outcome.stopped:
            return ()
        unsettled = UnsettledStates(outcome, self._opens_scopes)
        gone = [*self._gone(self._earlier, unsettled)]
        ended = [declared_by for declared_by in gone if not self._declarations.is_of_unassigned(declared_by)]
        try:
            left_on = await asyncio.to_thread(self._left_after, outcome.returns.values())
            lost = LostTargets(outcome.returns.values(), self._declarations.fan_outs, left_on)
            warnings = await asyncio.to_thread(self._orphan_all, ended, lost)
            return (
                *self._orphaned_before(outcome, unsettled, lost),
                *self._left_registered(gone, lost),
                *warnings,
            )
        except StoreError as error:
            return (
                Diagnostic(
                    code="E0719",
                    summary=f"resources that are no longer declared could not be orphaned: {error}",
                    detail="they can still be targeted",
                    help="apply again once the store can be written",
                    severity=Severity.WARNING,
                ),
            )

    def _gone(self, registrations: _Earlier, unsettled: UnsettledStates) -> Iterator[DeclaredBy]:
        """Yield the declarations of earlier runs that are gone."""
        for declared_by in chain.from_iterable(registrations.values()):
            if (
                not self._declarations.has(declared_by)
                and self._declarations.covers(declared_by)
                and not unsettled.may_still_declare(declared_by.scope, declared_by.fanned_from)
            ):
                yield declared_by

    def _orphaned_before(
        self, outcome: EngineOutcome, unsettled: UnsettledStates, lost: LostTargets
    ) -> Iterator[Diagnostic]:
        """Yield a warning per resource that an earlier apply orphaned and that nothing brings back."""
        from ensue.store.runs.outdated_answers import would_register

        coming = would_register(outcome.returns.values()) | self._declarations.promised
        gone = set(self._gone(self._orphaned, unsettled))
        for declared_by, srns in chain.from_iterable(each.items() for each in self._orphaned.values()):
            if declared_by in gone or self._is_settled(declared_by, unsettled):
                for srn in srns:
                    if srn not in coming:
                        yield self._warning(srn, declared_by, "is orphaned", lost.stays_on(srn))

    def _is_settled(self, declared_by: DeclaredBy, unsettled: UnsettledStates) -> bool:
        """Return whether a declaration is still there, and what it registers is known.

        What `registers` names is known of every declaration. What a function registers is known if the plan
        says that it changes nothing.
        """
        if not (self._declarations.has(declared_by) and self._declarations.covers(declared_by)):
            return False
        return not (declared_by.by_function and unsettled.is_unsettled(declared_by.scope, declared_by.tag))

    def _left_registered(self, gone: Iterable[DeclaredBy], lost: LostTargets) -> Iterator[Diagnostic]:
        """Yield a warning per resource that no highstate ends, for its machine is assigned nothing."""
        why = "; a highstate that assigns nothing to a machine orphans nothing that was registered there"
        for declared_by in filter(self._declarations.is_of_unassigned, gone):
            for srn in self._not_kept(declared_by):
                yield self._warning(srn, declared_by, "stays registered", f"{why}{lost.stays_on(srn)}")

    def _orphan_all(self, gone: Iterable[DeclaredBy], lost: LostTargets) -> list[Diagnostic]:
        done = [(declared_by, self._orphan_gone(declared_by)) for declared_by in gone]
        orphaned = {srn for _, pruned in done for srn in pruned.srns}
        return [
            warning
            for declared, pruned in done
            for warning in self._warnings(declared, pruned, lost, orphaned)
        ]

    def _orphan_gone(self, declared_by: DeclaredBy) -> Orphaned:
        why = f"{declared_by.label} is no longer declared"
        return self._orphan([declared_by], why, test=self._test)

    def _warnings(
        self, declared_by: DeclaredBy, done: Orphaned, lost: LostTargets, orphaned: Collection[Srn]
    ) -> list[Diagnostic]:
        """Return a warning per resource that a removed declaration had registered."""
        verb = "would be orphaned" if self._test else "is orphaned"
        below = f"; invalidated with it: {', '.join(map(str, done.invalidated))}" if done.invalidated else ""
        return [
            self._warning(
                srn, declared_by, verb, f"{lost.targeting(srn, orphaned)}{below}{lost.stays_on(srn)}"
            )
            for srn in done.srns
        ]

    def _warning(self, srn: Srn, declared_by: DeclaredBy, verb: str, detail: str) -> Diagnostic:
        why, restore, removal = "is no longer declared", "restore the declaration", _removal(declared_by)
        if self._declarations.has(declared_by):
            why, restore, removal = "no longer registers it", "have it registered there again", _REMOVAL
        return Diagnostic(
            code="E0718",
            summary=f"{srn} {verb}: {declared_by.label} {why}",
            detail=f"a run of this project registered it{detail}",
            help=f"{restore}, or {removal}: ensue resources forget {srn}",
            severity=Severity.WARNING,
        )

    def _orphan(self, earlier: Iterable[DeclaredBy], reason: str, *, test: bool) -> Orphaned:
        srns: list[Srn] = []
        invalidated: list[Srn] = []
        for declared_by in earlier:
            gone = self._not_kept(declared_by)
            if gone and test:
                self._registry.left.update(gone)
                srns += gone
            elif gone:
                done = self._registry.orphan(declared_by, gone, reason=reason)
                srns += done.srns
                invalidated += done.invalidated
        return Orphaned(srns=tuple(sorted(srns)), invalidated=tuple(sorted(invalidated)))

    def _not_kept(self, declared_by: DeclaredBy) -> list[Srn]:
        """Return what an earlier run registered through a declaration, and this one registers nowhere."""
        keep = self._registry.registered | self._declarations.promised | self._registry.leaving
        registered = self._earlier[declared_by.scope, declared_by.tag][declared_by]
        return [srn for srn in registered if srn not in keep]


def _with_orphaned(changes: dict[str, Any], done: Orphaned) -> dict[str, Any]:
    changes = {**changes, "orphaned": [str(srn) for srn in done.srns]}
    if done.invalidated:
        before: Sequence[str] = changes.get("invalidated", [])
        changes["invalidated"] = [*before, *map(str, done.invalidated)]
    return changes


def _removal(declared_by: DeclaredBy) -> str:
    """Return how to remove what a declaration made, up to the command that removes the record."""
    _, name, function = declared_by.named
    if function != _DEPLOYED:
        return _REMOVAL
    return (
        f"remove the machine with a state `starting_state.absent` that has `name: {name}` and the provider "
        "of that declaration, apply it, and run"
    )
