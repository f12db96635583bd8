"""One run: compile, journal, engine, report."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from functools import cache, partial
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from ensue.app.assigned_sls import NO_TOP_FILE, NOTHING_ASSIGNED, AssignedSls
from ensue.app.call_context import CallContext
from ensue.app.call_inputs import CallInputs
from ensue.app.expander import SlsExpander
from ensue.app.first_plans import FirstPlans
from ensue.app.functions import TargetFunctions
from ensue.app.joining_plans import JoiningPlans
from ensue.app.pruning import Pruning, earlier_declarations
from ensue.app.registrations import Registrations
from ensue.app.run_registry import RunRegistry
from ensue.app.target_matcher import ProjectMatcher
from ensue.contracts.accumulators import Accumulators
from ensue.derived import current_registry, using_registry
from ensue.engine.engine import Engine
from ensue.engine.services import EngineOptions, EngineServices, Hooks
from ensue.model.report import RunReport
from ensue.model.returns import Return
from ensue.runs.declarations import Declarations
from ensue.runs.planned_requisites import planned_event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.resource_plans import ResourcePlans
    from ensue.app.services import Services
    from ensue.binding.arguments import RunTimeArguments
    from ensue.contracts.growth import GrowthRequest, Plan
    from ensue.diagnostics import Diagnostic
    from ensue.engine.outcome import EngineOutcome
    from ensue.engine.services import CallSite
    from ensue.model.events import RunEvent
    from ensue.model.resource import DeclaredBy
    from ensue.model.srn import Srn
    from ensue.runs.resume import ResumedRun

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
        self._warnings_of_run: tuple[Diagnostic, ...] = ()

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

    def _takes_slot(self, srn: Srn) -> bool:
        """Say whether what runs on a target counts; a number that the user gives counts everything."""
        if self._switches.concurrency:
            return True
        return not self._services.plugins.resource_type(srn.type).IS_REMOTE

    async def execute(
        self, first: FirstPlans, resumed: ResumedRun | None = None, *, highstate: bool = False
    ) -> EngineOutcome:
        """Run plans on the engine.

        Args:
            first: what the run begins with.
            resumed: a run whose finished states are taken over.
            highstate: whether the plans are those of the whole top file.
        """
        services = self._services
        project = str(services.settings.root) if services.settings.option("store_url") else ""
        earlier = await asyncio.to_thread(earlier_declarations, services.registry, project)
        registry = RunRegistry(
            services.registry,
            services.directory,
            self._on_event,
            services.loop,
            joined=first.derived.registered if first.derived else None,
        )
        matcher = ProjectMatcher(services)

        def declare(site: CallSite) -> DeclaredBy:
            return declarations.of(site)

        registrations = Registrations(services.states, registry, services.plugins, matcher.exact, declare)
        declarations = Declarations(
            registrations.promises,
            services.roots,
            project=project,
            highstate=highstate,
            compares=bool(earlier),
        )
        pruning = Pruning(earlier, declarations, registry, registrations.foresees, test=self._switches.test)
        hooks = Hooks(
            awaits=registrations.awaits,
            promises=registrations.promises,
            arguments=cache(partial(_run_time_arguments, services)),
            registered=registrations.register,
            has_registered=pruning.concerns if earlier else None,
            prune=pruning.prune,
            matcher=matcher,
            enforced=services.enforced.of_state,
            is_transient=registrations.is_transient,
            takes_slot=self._takes_slot,
            inputs=CallInputs(services),
        )
        expander = SlsExpander(services, (declarations.note, self._tell_planned), test=self._switches.test)
        for plan in first.all:
            expander.note(plan)
        joining = JoiningPlans(expander.note)
        engine = self._engine(expander, declarations, registry, hooks)
        # What a plug-in registers through `ensue.derived` belongs to this run.
        try:
            with using_registry(registry):
                outcome = await engine.run(
                    first.own,
                    resumed.done if resumed else {},
                    beside=first.beside,
                    newcomers=joining.newcomers(first) if first.late or first.derived else None,
                )
        finally:
            services.insertions.clear()
        remarks = dict.fromkeys((*joining.remarks, *expander.end(), *await pruning.end(outcome)))
        self._warnings_of_run = tuple(one for one in remarks if one not in first.warnings)
        return outcome

    def _tell_planned(self, plan: Plan, _: GrowthRequest | None) -> None:
        """Tell of a plan with its requisites: the journal keeps them."""
        event = planned_event(plan)
        if event is not None:
            self._on_event(event)

    def _engine(
        self, expander: SlsExpander, declarations: Declarations, registry: RunRegistry, hooks: Hooks
    ) -> Engine:
        services, switches = self._services, self._switches
        gathered: defaultdict[Srn, Accumulators] = defaultdict(Accumulators)

        def declare(site: CallSite) -> DeclaredBy:
            return declarations.of(site, by_function=True)

        def context_for(site: CallSite) -> CallContext:
            own = registry.of_state(site, declare)
            # What the function registers through `ensue.derived` is registered by its state.
            current_registry.set(own)
            return CallContext(services, site, own, gathered, self._on_event)

        def on_event(event: RunEvent) -> None:
            declarations.see(event)
            self._on_event(event)

        return Engine(
            EngineServices(
                functions=lambda srn: TargetFunctions(services.states_of(srn.type), srn.type),
                context_for=context_for,
                expander=expander,
                on_event=on_event,
                hooks=hooks,
                masker=services.masker,
            ),
            EngineOptions(
                test=switches.test,
                failhard=switches.failhard,
                concurrency=switches.concurrency or _SLOTS_PER_CORE * (os.cpu_count() or 1),
                ordered=bool(services.settings.option("state_auto_order", default=True)),
            ),
        )

    async def report(
        self,
        run_id: str,
        first: FirstPlans,
        *,
        asked_for_highstate: bool,
        resumed: ResumedRun | None = None,
    ) -> RunReport:
        """Run plans and return their report."""
        started = perf_counter()
        nothing_assigned = _nothing_assigned(first) if asked_for_highstate else ""
        highstate = asked_for_highstate and not nothing_assigned
        outcome = await self.execute(first, resumed, highstate=highstate)
        returns, exit_code, status = outcome.returns, outcome.exit_code, outcome.status
        nothing = first.nothing or ("" if returns else nothing_assigned)
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
            warnings=(*first.warnings, *self._warnings_of_run, *self._services.exposed.warnings()),
            duration_s=perf_counter() - started,
            resumes=resumed.run_id if resumed else "",
        )


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


def _run_time_arguments(services: Services) -> RunTimeArguments:
    """Return what resolves references and slots; most runs have none and never load it."""
    from ensue.binding.arguments import RunTimeArguments
    from ensue.binding.bound_values import BoundValues

    values = BoundValues(services.enforced, services.masker)
    return RunTimeArguments(services.states.find, services.insertions, values)
