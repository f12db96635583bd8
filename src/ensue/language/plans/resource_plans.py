"""The plans of an apply with a target: one per resource, all compiled before anything runs.

If SLS do not compile for one resource, the run is refused. If the grains of a resource are needed and cannot
be gathered, only that resource fails. Resources that are silent when none has answered for `NEXT_GRAINS_S`
join the run later, so that they do not delay the others.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.contracts.deadlines import NEXT_GRAINS_S
from ensue.core.contracts.growth import Complaint, Plan
from ensue.core.contracts.origins import with_origins
from ensue.core.diagnostics import Severity
from ensue.core.errors import NO_CONNECTION, CompileError, EnsueError, RemoteError
from ensue.core.model.chunk import Chunk
from ensue.core.model.fan_out import resource_chunk
from ensue.core.model.foreseen import ForeseenSls
from ensue.core.model.source_document import NoDocument
from ensue.engine.plans.first_plans import FirstPlans
from ensue.engine.plans.joining import Newcomer
from ensue.engine.returns import exception_text
from ensue.language.plans.assigned_sls import NO_TOP_FILE
from ensue.language.plans.compilation_row import CompilationRow
from ensue.language.plans.unassigned import NOTHING_ASSIGNED, nothing_assigned
from ensue.language.targets.nodegroups import checked_target
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.srn import Srn
    from ensue.language.plans.assigned_sls import AssignedSls
    from ensue.language.targets.targets import Targets

_MOST_NAMED: Final = 5

_Outcome: TypeAlias = "tuple[Plan, tuple[Diagnostic, ...]] | EnsueError"


class ResourcePlans:
    """Compiles SLS, or the highstate, for every resource that a target matches.

    Args:
        services: the project; the minion's pillar is compiled.
        assigned: compiles for one resource.
        mods: SLS names; none: the highstate.
    """

    def __init__(self, services: Targets, assigned: AssignedSls, mods: Sequence[str]) -> None:
        self._services = services
        self._mods = tuple(mods)
        self._assigned = assigned
        self._expression: str | None = None
        self._outcomes: dict[Srn, _Outcome] = {}
        self._rows: dict[Srn, CompilationRow] = {}
        """The rows that have ended at a resource which has to wait, by that resource."""

    async def of_target(self, expression: str) -> FirstPlans:
        """Return the plans of the resources that a target matches now.

        Raises:
            ConfigurationError: the target does not parse, or names a type or a nodegroup that does not exist.
            CompileError: there are errors; the exception has those for all resources.
        """
        services = self._services
        self._expression = expression
        await asyncio.to_thread(checked_target, services.names, expression)
        matched = await ProjectMatcher(services).matched(expression)
        if not matched.targets:
            return FirstPlans(own=empty_plan(services.minion), nothing=matched.nothing)
        reachable = [srn for srn in matched.targets if srn not in matched.faults]
        late = dict.fromkeys(await self._compile(reachable))
        warnings = self._judged()
        plans = {srn: await self._plan(srn) for srn in reachable if srn not in late}
        plans |= {
            srn: failed_plan(srn, comment, unreachable=srn in matched.unreachable)
            for srn, comment in matched.faults.items()
        }
        own = plans.pop(services.minion, None) or empty_plan(services.minion)
        beside = tuple(plans[srn] for srn in sorted(plans))
        return FirstPlans(
            own=own,
            beside=beside,
            late={srn: self.newcomer(srn) for srn in late},
            warnings=warnings,
            unassigned=tuple(self._unassigned()),
            matched=len(matched.targets),
        )

    def newcomer(self, srn: Srn) -> Newcomer:
        """Return a resource as it joins a run that is going on."""
        return Newcomer(srn.id, lambda: self.late_plan(srn), str(srn))

    async def is_meant(self, srn: Srn) -> bool:
        """Return whether the target of the run, if it has one, matches a resource now."""
        if self._expression is None:
            return True
        return srn in (await ProjectMatcher(self._services).matched(self._expression)).targets

    async def foreseen(self, srn: Srn) -> ForeseenSls | None:
        """Return the SLS of a resource that may not exist yet; None if the target of the run excludes it."""
        services, expression = self._services, self._expression
        if expression is not None and not ProjectMatcher(services).may_match(expression, srn):
            return None
        if self._mods:
            return ForeseenSls(target=srn, names=self._mods)
        await services.preparation.prepare_all([srn])
        return await asyncio.to_thread(self._assigned.foreseen, srn)

    async def _compile(self, srns: Sequence[Srn]) -> list[Srn]:
        """Compile for resources; return those whose grains are needed and not known yet."""
        rest = await self._compile_in_a_row(srns)
        if not self._rows:
            return []
        # Where one resource has to wait, its grains are usually the reason, and the others need theirs too.
        late = await self._gather_grains([*self._rows, *rest])
        left_out = {*late, *self._outcomes}
        rest = [srn for srn in rest if srn not in left_out]
        while rest:
            rest = await self._compile_in_a_row(rest)
        await asyncio.gather(*(row.ended for srn, row in self._rows.items() if srn not in left_out))
        return late

    async def _compile_in_a_row(self, srns: Sequence[Srn]) -> Sequence[Srn]:
        """Compile in one thread; return the resources after the first that has to wait, which keeps it."""
        row = CompilationRow(self._compile_one, srns)
        rest = await row.rest()
        if row.waiting is not None:
            self._rows[row.waiting] = row
        return rest

    def _compile_one(self, srn: Srn) -> None:
        try:
            compiled, warnings = self._assigned.compiled(srn, self._mods)
        except EnsueError as error:
            # Why the grains of the resource cannot be gathered says more.
            self._outcomes.setdefault(srn, error)
        else:
            self._outcomes[srn] = compiled.plan, (*warnings, *compiled.plan.warnings)

    async def _gather_grains(self, srns: Sequence[Srn]) -> list[Srn]:
        """Gather grains of many resources at once; return those that have not answered yet."""
        gathering = [asyncio.create_task(self._gather(srn)) for srn in srns]
        with suppress(TimeoutError):
            for answer in asyncio.as_completed(gathering):
                async with asyncio.timeout(NEXT_GRAINS_S):
                    await answer
        return [srn for srn in srns if srn not in self._outcomes and not self._has_answered(srn)]

    def _has_answered(self, srn: Srn) -> bool:
        return self._services.directory.gathered_grains(srn) is not None

    async def _gather(self, srn: Srn) -> None:
        try:
            await self._services.directory.grains(srn)
        except EnsueError as error:
            self._outcomes[srn] = error
        except Exception as error:  # noqa: BLE001 -- grains are gathered by plug-ins
            self._outcomes[srn] = EnsueError(
                f"its grains cannot be gathered: {type(error).__name__}: {error}"
            )

    async def late_plan(self, srn: Srn) -> Plan:
        """Return the plan of a resource that joins a run; an error becomes a return of the plan."""
        try:
            await self._services.preparation.prepare(srn)
        except EnsueError as error:
            return failed_plan(srn, str(error), unreachable=self._is_unreachable(srn, error))
        if srn not in self._outcomes:
            await self._gather(srn)
        if srn not in self._outcomes:
            try:
                row = self._rows.get(srn)
                await (row.ended if row else asyncio.to_thread(self._compile_one, srn))
            except Exception as error:  # noqa: BLE001 -- renderers and their filters are plug-ins
                return failed_plan(srn, f"an exception occurred in its SLS: {exception_text(error)}")
        return await self._plan(srn)

    async def _plan(self, srn: Srn) -> Plan:
        outcome = self._outcomes[srn]
        if isinstance(outcome, EnsueError):
            why = await self._why(srn, outcome)
            return failed_plan(srn, why, unreachable=self._is_unreachable(srn, outcome))
        plan = outcome[0]
        return plan if srn == self._services.minion else resource_plan(plan, srn)

    def _is_unreachable(self, srn: Srn, error: EnsueError) -> bool:
        return isinstance(error, NO_CONNECTION) or (
            isinstance(error, RemoteError) and self._services.directory.reach.fault(str(srn)) is not None
        )

    async def _why(self, srn: Srn, error: EnsueError) -> str:
        """Return a resource's error, with the sources of a derived resource that cannot be reached."""
        if isinstance(error, CompileError):
            return str(error)
        return await with_origins(error, self._services.stores.registry, srn)

    def _judged(self) -> tuple[Diagnostic, ...]:
        """Return all warnings, each once.

        Raises:
            CompileError: it does not compile for some resource.
        """
        errors: dict[Diagnostic, list[Srn]] = {}
        warnings: dict[Diagnostic, None] = {}
        for srn, outcome in sorted(self._outcomes.items(), key=itemgetter(0)):
            if isinstance(outcome, CompileError):
                for diagnostic in outcome.diagnostics:
                    errors.setdefault(diagnostic, []).append(srn)
            elif not isinstance(outcome, EnsueError):
                warnings.update(
                    dict.fromkeys(warning for warning in outcome[1] if warning.code != NOTHING_ASSIGNED)
                )
        if errors:
            raise CompileError([_compiled_for(name, srns) for name, srns in errors.items()])
        unassigned = [srn.id for srn in self._unassigned()]
        if unassigned and not any(warning.code == NO_TOP_FILE for warning in warnings):
            warnings[nothing_assigned(_listed(unassigned))] = None
        return tuple(warnings)

    def _unassigned(self) -> list[Srn]:
        """Return the resources to which the top file assigns nothing, sorted."""
        compiled = (
            (srn, outcome[1]) for srn, outcome in self._outcomes.items() if isinstance(outcome, tuple)
        )
        return sorted(
            srn for srn, remarks in compiled if any(remark.code == NOTHING_ASSIGNED for remark in remarks)
        )


def resource_plan(plan: Plan, srn: Srn) -> Plan:
    """Return a plan whose returns have the name of its resource.

    Args:
        plan: the plan, compiled for the resource.
        srn: the resource.
    """
    return msgspec.structs.replace(
        plan, resource=srn, chunks=tuple([resource_chunk(chunk, srn) for chunk in plan.chunks])
    )


def empty_plan(srn: Srn) -> Plan:
    """Return a plan without states."""
    return Plan(chunks=(), scope="", target=srn)


def failed_plan(srn: Srn, comment: str, *, unreachable: bool = False) -> Plan:
    """Return the plan of a resource for which nothing can be compiled; its only return says why."""
    chunk = Chunk(
        id="states",
        name="states",
        module="no",
        function="None",
        arguments={},
        sls="",
        order=0,
        document=NoDocument(),
        keys=(),
    )
    complaint = Complaint(chunk=resource_chunk(chunk, srn), comment=comment, unreachable=unreachable)
    return msgspec.structs.replace(empty_plan(srn), complaints=(complaint,))


def _compiled_for(diagnostic: Diagnostic, srns: Sequence[Srn]) -> Diagnostic:
    """Return an error with the resources that its SLS was compiled for; a warning is about the project."""
    if diagnostic.severity is Severity.WARNING:
        return diagnostic
    named = f"compiled for {_listed(map(str, srns))}"
    detail = f"{diagnostic.detail}; {named}" if diagnostic.detail else named
    return msgspec.structs.replace(diagnostic, detail=detail)


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"{', '.join(known[:_MOST_NAMED])}{more}"
