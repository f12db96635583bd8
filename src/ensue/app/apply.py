"""One run: compile, journal, engine, report."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from ensue.app.assigned_sls import NO_TOP_FILE, NOTHING_ASSIGNED, AssignedSls
from ensue.app.call_inputs import CallInputs
from ensue.app.context import CallContext
from ensue.app.expander import SlsExpander
from ensue.app.first_plans import FirstPlans
from ensue.app.functions import TargetFunctions
from ensue.app.lazy_arguments import LazyArguments
from ensue.app.planned_scopes import TellingExpander
from ensue.app.registrations import Registrations
from ensue.app.run_registry import RunRegistry
from ensue.app.target_matcher import ProjectMatcher
from ensue.contracts.accumulators import Accumulators
from ensue.derived import using_registry
from ensue.engine.engine import Engine
from ensue.engine.services import EngineOptions, EngineServices, Hooks
from ensue.model.report import RunReport
from ensue.model.returns import Return

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.resource_plans import ResourcePlans
    from ensue.app.services import Services
    from ensue.contracts.growth import Plan
    from ensue.diagnostics import Diagnostic
    from ensue.engine.joining import Newcomer, Newcomers
    from ensue.engine.outcome import EngineOutcome
    from ensue.engine.resume import ResumedRun
    from ensue.model.events import RunEvent
    from ensue.model.srn import Srn

_SLOTS_PER_CORE = 10
_NO_STATES = "no_|-states_|-states_|-None"


class ApplySwitches(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is done; see `project.RunOptions`."""

    test: bool
    concurrency: int | None
    failhard: bool


class Run:
    """One apply or plan of a project.

    Args:
        services: the project.
        switches: how.
        on_event: told of everything that happens, first to last.
    """

    def __init__(
        self, services: Services, switches: ApplySwitches, on_event: Callable[[RunEvent], None]
    ) -> None:
        self._services = services
        self._switches = switches
        self._on_event = on_event
        self._warnings_of_growth: tuple[Diagnostic, ...] = ()

    async def compile(self, mods: Sequence[str], tgt: str | None = None) -> FirstPlans:
        """Return the plans of the SLS asked for, or of the highstate.

        Args:
            mods: SLS names; none: the highstate.
            tgt: the resources to compile for; None: this machine.

        Raises:
            CompileError: with everything that is wrong.
            ConfigurationError: the target does not parse, or names what does not exist.
        """
        services = self._services
        await services.prepare(services.minion)
        assigned = AssignedSls(services, test=self._switches.test)
        if tgt is not None:
            from ensue.app.resource_plans import ResourcePlans

            plans = ResourcePlans(services, assigned, mods)
            first = await plans.of_target(tgt)
        else:
            plans = None
            compiled, warnings = await asyncio.to_thread(assigned.compiled, services.minion, mods)
            first = FirstPlans(own=compiled.plan, warnings=(*warnings, *compiled.plan.warnings))
        if not mods and assigned.gives_derived and not first.nothing:
            first = self._with_derived(first, plans, assigned)
        return msgspec.structs.replace(first, warnings=(*services.settings.warnings, *first.warnings))

    def _with_derived(
        self, first: FirstPlans, plans: ResourcePlans | None, assigned: AssignedSls
    ) -> FirstPlans:
        """Return what the run begins with, joined by what appears during it."""
        from ensue.app.derived_highstate import DerivedHighstate
        from ensue.app.resource_plans import ResourcePlans

        known = [self._services.minion, *(plan.target for plan in first.beside), *first.late]
        derived = DerivedHighstate(plans or ResourcePlans(self._services, assigned, ()), known)
        return msgspec.structs.replace(first, derived=derived)

    async def execute(self, first: FirstPlans, resumed: ResumedRun | None = None) -> EngineOutcome:
        """Run plans on the engine; what a run that is resumed has done is taken over from it."""
        services = self._services
        expander = SlsExpander(services, test=self._switches.test)
        telling = TellingExpander(expander, self._on_event)

        def note(plan: Plan) -> None:
            expander.note(plan)
            telling.tell(plan)

        remarks: dict[Diagnostic, None] = {}

        def noted(newcomer: Newcomer) -> Newcomer:
            def note_late(plan: Plan) -> None:
                note(plan)
                remarks.update(dict.fromkeys(plan.warnings))

            return newcomer.with_plan(note_late)

        for plan in first.all:
            note(plan)
        registry = RunRegistry(
            services.registry,
            services.directory,
            self._on_event,
            services.loop,
            joined=first.derived.registered if first.derived else None,
        )
        matcher = ProjectMatcher(services)
        registrations = Registrations(services.states, registry, services.plugins, matcher.exact)
        gathered: defaultdict[Srn, Accumulators] = defaultdict(Accumulators)
        engine = Engine(
            EngineServices(
                functions=lambda srn: TargetFunctions(services.states_of(srn.type), srn.type),
                context_for=lambda site: CallContext(services, site, registry, gathered, self._on_event),
                expander=telling,
                on_event=self._on_event,
                hooks=Hooks(
                    awaits=registrations.awaits,
                    promises=registrations.promises,
                    arguments=LazyArguments(services),
                    registered=registrations.register,
                    matcher=matcher,
                    is_transient=registrations.is_transient,
                    inputs=CallInputs(services),
                ),
                masker=services.masker,
            ),
            EngineOptions(
                test=self._switches.test,
                failhard=self._switches.failhard,
                concurrency=self._switches.concurrency or _SLOTS_PER_CORE * (os.cpu_count() or 1),
                ordered=bool(services.settings.option("state_auto_order", default=True)),
            ),
        )
        # What a plug-in registers through `ensue.derived` belongs to this run.
        try:
            with using_registry(registry):
                outcome = await engine.run(
                    first.own,
                    resumed.done if resumed else {},
                    beside=first.beside,
                    newcomers=_newcomers(first, noted) if first.late or first.derived else None,
                )
        finally:
            services.insertions.clear()
        remarks.update(dict.fromkeys(expander.end()))
        self._warnings_of_growth = tuple(one for one in remarks if one not in first.warnings)
        return outcome

    async def report(
        self,
        run_id: str,
        first: FirstPlans,
        *,
        asked_for_highstate: bool,
        resumed: ResumedRun | None = None,
    ) -> RunReport:
        """Run plans and say what came of them."""
        started = perf_counter()
        outcome = await self.execute(first, resumed)
        returns, exit_code, status = outcome.returns, outcome.exit_code, outcome.status
        nothing = first.nothing or (_nothing_assigned(first) if asked_for_highstate and not returns else "")
        if nothing and status != "interrupted":
            # As in Salt: no top file, or one that gives nothing to this machine, is a failed state.
            returns, exit_code, status = {_NO_STATES: _no_states(self._services, nothing)}, 2, "failed"
        return RunReport(
            run_id=run_id,
            minion_id=self._services.minion.id,
            test=self._switches.test,
            status=status,
            exit_code=exit_code,
            returns=returns,
            not_run=tuple(map(str, outcome.not_run)),
            warnings=(*first.warnings, *self._warnings_of_growth, *self._services.exposed.warnings()),
            duration_s=perf_counter() - started,
            resumes=resumed.run_id if resumed else "",
        )


def _newcomers(first: FirstPlans, noted: Callable[[Newcomer], Newcomer]) -> Newcomers:
    """Return what names the resources that join while the run goes on."""

    def named(admit: Callable[[Newcomer], None]) -> None:
        for one in first.late.values():
            admit(noted(one))
        if first.derived:
            first.derived.begin(lambda one: admit(noted(one)))

    return named


def _nothing_assigned(first: FirstPlans) -> str:
    """Return why a highstate has no states; empty when nothing is wrong with that."""
    for one in first.warnings:
        if one.code in {NO_TOP_FILE, NOTHING_ASSIGNED}:
            return f"No states found for this minion: {one.summary} ({one.help})"
    return ""


def _no_states(services: Services, comment: str) -> Return:
    return Return(
        tag=_NO_STATES,
        id="states",
        name="No States",
        sls="",
        module="no",
        function="None",
        scope="",
        target=str(services.minion),
        result=False,
        changes={},
        comment=comment,
        ran=False,
    )
