"""One apply or plan: compile, run on the engine, write the journal and enforced states, report."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from ensue.app.run_wiring import RunWiring
from ensue.core.contracts.target_questions import questions_of_run
from ensue.core.model.events import RunStarted
from ensue.core.model.report import RunReport
from ensue.core.model.resume_command import resume_command
from ensue.derived import using_registry
from ensue.engine.outcome import labels
from ensue.engine.plans.first_plans import FirstPlans
from ensue.language.functions.made_things import MadeThings
from ensue.language.plans.assigned_sls import AssignedSls
from ensue.language.plans.host_limits import check_host_limits, too_many_failed
from ensue.language.plans.joining_plans import JoiningPlans
from ensue.language.plans.lost_reactions import lost_reactions
from ensue.language.plans.no_states import lacks_top_file, no_states, why_no_states
from ensue.language.plans.overtaken_states import foreseen_stop, overtaken_states
from ensue.language.plans.special_tags import special_tags
from ensue.language.settings.environments import selected_environments
from ensue.output.outcome import counts_of
from ensue.store.runs.enforcement import Enforcement
from ensue.store.runs.journal import new_run_id
from ensue.store.runs.run_chain import killed_applies, warnings_of
from ensue.store.runs.run_record import RunRecord, now

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.app.run_wiring import WiredRun
    from ensue.app.services import Services
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.target_questions import SetAnswers, TargetQuestion
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.events import RunEvent
    from ensue.core.model.run_part import RunPart
    from ensue.deploy.environments.deployment_run import DeploymentRun
    from ensue.engine.outcome import EngineOutcome
    from ensue.language.plans.chosen_part import ChosenPart
    from ensue.language.plans.resource_plans import ResourcePlans
    from ensue.language.plans.run_options import RunOptions
    from ensue.store.runs.declarations import RunDeclarations
    from ensue.store.runs.resume import ResumedRun


class Run:
    """One apply or plan of a project.

    Args:
        services: the project.
        options: how it is done.
        begin: receives the run's id before anything runs.
        warn: receives warnings that matter before anything runs.
        deployment: what is deployed instead of SLS; None: SLS are run.
        state: makes the plan of one state that is run instead of SLS; None: SLS are run.
    """

    def __init__(
        self,
        services: Services,
        options: RunOptions,
        *,
        begin: Callable[[str], None],
        warn: Callable[[Diagnostic], None],
        deployment: DeploymentRun | None = None,
        state: Callable[[], Awaitable[Plan]] | None = None,
    ) -> None:
        self._state = state
        self._services = services
        self._stores = services.stores
        self._settings = services.stores.settings
        self._options = options
        self._begin = begin
        self._warn = warn
        self._deployment = deployment
        self._answers: Mapping[TargetQuestion, SetAnswers] = {}

    async def go(self, mods: Sequence[str], on_event: Callable[[RunEvent], None]) -> RunReport:
        """Compile and run SLS, or the highstate if `mods` is empty; a resumed run names its own SLS.

        The run of one state is recorded with the name of its function instead of SLS.

        Raises:
            CompileError: nothing was run.
            ConfigurationError: the batch or the fail limit is not valid; nothing was run.
            UnknownRunError: the run to resume does not exist or cannot be resumed.
            StillRunningError: commands of the run to resume are still running.
        """
        resumed = self._resumed()
        if resumed:
            mods = resumed.started.mods
            self._options = self._options.of_resumed(resumed.started)
        tgt, part = self._options.tgt, self._options.part
        check_host_limits(self._options)
        run_id = new_run_id(datetime.now(UTC))
        services, test = self._services, self._options.test
        killed = await asyncio.to_thread(killed_applies, self._settings.cachedir)
        enforcement = Enforcement(
            self._stores.enforced,
            self._stores.opened.thread,
            run_id,
            test=test,
            of_one_call=services.compilation.states.properties_of_one_call,
            is_query=services.compilation.states.is_query,
            made_by=MadeThings(services.compilation.states_of).of,
        )
        enforcement.killed = killed
        record = RunRecord(
            self._stores.settings,
            self._stores.masker,
            enforcement,
            run_id,
            on_event,
            test=test,
            resumes=resumed.chain if resumed else (),
        )
        with self._services.targets.directory.reach.of_run(), questions_of_run() as self._answers:
            async with record:
                first = await self._first_plans(mods, tgt)
                chosen = None if part.is_whole else self._chosen(part, record)
                if chosen is not None:
                    first = await chosen.first(first)
                reactions = () if test else lost_reactions(first.all, part)
                for warning in (*special_tags(first.all, part), *reactions):
                    self._warn(warning)
                if (others := self._stores.other_minions) is not None:
                    ordered = bool(self._settings.option("state_auto_order", default=True))
                    stores = self._stores
                    await others.begin(first.own, stores.masker, stores.enforced, ordered=ordered)
                self._begin(run_id)
                if resumed is None:
                    for diagnostic in warnings_of(killed, test=test):
                        self._warn(diagnostic)
                await record.begin(
                    RunStarted(
                        run_id=run_id,
                        test=self._options.test,
                        total=first.total,
                        started_at=now(),
                        mods=tuple(mods),
                        minion_id=self._stores.minion.id,
                        resumes=resumed.run_id if resumed else "",
                        tgt=tgt or "",
                        deployment=self._deployment.order.environment if self._deployment else "",
                        only=part.only,
                        exclude=part.exclude,
                        start_at=part.start_at,
                        batch=self._options.batch or "",
                        fail_limit=self._options.fail_limit or "",
                        pillar=self._pillar_marks(),
                        environments=dict(self._options.environments),
                        environment=selected_environments(self._stores.settings, highstate=not mods),
                        failhard=self._options.failhard,
                    )
                )
                is_highstate = not mods and self._deployment is None
                report = await self._reported(
                    run_id, first, resumed, record, mods, is_highstate=is_highstate, chosen=chosen
                )
                if chosen is not None:
                    report = msgspec.structs.replace(report, part=str(part), excluded=chosen.excluded)
                return await record.end(report, counts_of)

    def _chosen(self, part: RunPart, record: RunRecord) -> ChosenPart:
        from ensue.language.plans.chosen_part import ChosenPart

        return ChosenPart(self._services.targets, part, record.tell)

    def _resumed(self) -> ResumedRun | None:
        options = self._options
        if options.resume is None:
            return None
        from ensue.store.runs.given_pillar import refuse_other_pillar
        from ensue.store.runs.resume import refuse_other_environment, run_to_resume

        own = self._stores.minion.id
        resumed = run_to_resume(
            self._settings.cachedir, options.resume, own, despite_running=options.despite_running
        )
        refuse_other_environment(resumed.started, selected_environments(self._settings, highstate=False))
        refuse_other_pillar(resumed.started, self._stores.pillars.override, self._stores.vault)
        return resumed

    def _pillar_marks(self) -> dict[str, str]:
        """Return fingerprints of the pillar of the command line; no plan is resumed, so it has none."""
        if not (pillar := self._stores.pillars.override):
            return {}
        from ensue.store.runs.given_pillar import marks_of

        return marks_of(pillar, None if self._options.test else self._stores.vault)

    async def _first_plans(self, mods: Sequence[str], tgt: str | None) -> FirstPlans:
        """Return what the run begins with: the deployment, the requested SLS, or the highstate.

        Args:
            mods: SLS names; none: the highstate.
            tgt: the resources to compile for; None: this machine.

        Raises:
            CompileError: the input has errors; the exception has all of them.
            ConfigurationError: the target does not parse, or names what does not exist.
        """
        services = self._services
        await services.targets.preparation.prepare(self._stores.minion)
        if self._state is not None:
            return FirstPlans(own=await self._state(), warnings=self._settings.warnings)
        if self._deployment is not None:
            plan = await self._deployment.planned(self._stores.minion, "")
            return FirstPlans(own=plan, warnings=(*self._settings.warnings, *plan.warnings))
        assigned = AssignedSls(services.targets, test=self._options.test)
        if tgt is not None:
            from ensue.language.plans.resource_plans import ResourcePlans

            plans = ResourcePlans(services.targets, assigned, mods)
            first = await plans.of_target(tgt)
        else:
            plans = None
            compiled, warnings = await asyncio.to_thread(assigned.compiled, self._stores.minion, mods)
            if mods:
                warnings = (*warnings, *await asyncio.to_thread(assigned.elsewhere, mods))
            first = FirstPlans(own=compiled.plan, warnings=(*warnings, *compiled.plan.warnings))
        if not mods and assigned.gives_derived and not first.nothing:
            first = self._with_derived(first, plans, assigned)
        return msgspec.structs.replace(first, warnings=(*self._settings.warnings, *first.warnings))

    def _with_derived(
        self, first: FirstPlans, plans: ResourcePlans | None, assigned: AssignedSls
    ) -> FirstPlans:
        """Return what the run begins with, joined by the resources that appear during it."""
        from ensue.language.plans.derived_highstate import DerivedHighstate
        from ensue.language.plans.resource_plans import ResourcePlans

        known = [self._stores.minion, *(plan.target for plan in first.beside), *first.late]
        derived = DerivedHighstate(plans or ResourcePlans(self._services.targets, assigned, ()), known)
        return msgspec.structs.replace(first, derived=derived)

    async def _reported(
        self,
        run_id: str,
        first: FirstPlans,
        resumed: ResumedRun | None,
        record: RunRecord,
        mods: Sequence[str],
        *,
        is_highstate: bool,
        chosen: ChosenPart | None,
    ) -> RunReport:
        """Run plans and return their report."""
        started = perf_counter()
        nothing_assigned = why_no_states(first) if is_highstate else ""
        wiring = RunWiring(self._services, self._options, record.tell, record.announce, chosen)
        if nothing_assigned and not first.matched:
            first = msgspec.structs.replace(first, unassigned=(self._stores.minion,))
        wired = await wiring.wired(first, mods, highstate=is_highstate and not lacks_top_file(first))
        record.stops(wired.engine.stop)
        record.declares(wired.declarations.of_return)
        outcome, remarks = await self._outcome(wired, first, resumed, chosen)
        returns, exit_code, status = outcome.returns, outcome.exit_code, outcome.status
        nothing = first.nothing or ("" if returns else nothing_assigned)
        if nothing and status != "interrupted":
            # As in Salt: no top file, or one that assigns nothing to this machine, is a failed state.
            returns, exit_code, status = no_states(self._stores.minion, nothing), 2, "failed"
        if chosen is None and not outcome.stopped:
            await record.write_enforced()  # What is reported is what has been written.
            remarks.extend(await self._left_behind(wired.declarations, outcome))
        if chosen is not None and self._options.test:
            remarks.extend(lost_reactions(first.all, chosen.part, outcome.returns))
        remarks.extend(overtaken_states(outcome.overtaken, test=self._options.test))
        remarks.extend(foreseen_stop(outcome.would_stop_at))
        if outcome.too_many_failed:
            again = resume_command(run_id, map(str, self._stores.pillars.override))
            remarks.append(too_many_failed(outcome.stopped, again))
        return RunReport(
            run_id=run_id,
            minion_id=self._stores.minion.id,
            test=self._options.test,
            status=status,
            exit_code=exit_code,
            returns=returns,
            not_run=labels(outcome.not_run),
            hosts_not_run=outcome.hosts_not_run,
            not_run_on=outcome.not_run_on,
            owed_not_run=labels(chunk for chunk in outcome.not_run if chunk.owed),
            warnings=(*first.warnings, *remarks, *self._stores.exposed.warnings()),
            duration_s=perf_counter() - started,
            resumes=resumed.run_id if resumed else "",
            stopped=outcome.stopped,
            too_many_failed=outcome.too_many_failed,
        )

    async def _left_behind(self, declarations: RunDeclarations, outcome: EngineOutcome) -> list[Diagnostic]:
        from ensue.store.runs.left_behind import left_behind

        targets, opened = self._services.targets, self._stores.opened
        return await left_behind(
            targets, self._stores.enforced, opened.thread, declarations, outcome, test=self._options.test
        )

    async def _outcome(
        self,
        wired: WiredRun,
        first: FirstPlans,
        resumed: ResumedRun | None,
        chosen: ChosenPart | None,
    ) -> tuple[EngineOutcome, list[Diagnostic]]:
        """Run plans on the engine; return the outcome, and the warnings from the run."""
        joining = JoiningPlans(wired.expander.note, chosen)
        try:
            # Resources that a plug-in registers through `ensue.derived` belong to this run.
            with using_registry(wired.registry):
                outcome = await wired.engine.run(
                    first.own,
                    resumed.done if resumed else {},
                    beside=first.beside,
                    newcomers=joining.newcomers(first) if first.late or first.derived else None,
                )
        finally:
            self._stores.insertions.clear()
        remarks = (
            *joining.remarks,
            *wired.pillar_comparison.warnings(),
            *wired.expander.end(),
            *await wired.pruning.end(outcome),
            *await self._outdated_answers(wired, outcome),
        )
        return outcome, [
            diagnostic for diagnostic in dict.fromkeys(remarks) if diagnostic not in first.warnings
        ]

    async def _outdated_answers(self, wired: WiredRun, outcome: EngineOutcome) -> list[Diagnostic]:
        """Return warnings about sets of targets that were read before a resource joined or left them."""
        if not self._answers:
            return []
        from ensue.store.runs.outdated_answers import outdated_answers, would_register

        test = self._options.test
        joined = would_register(outcome.returns.values()) if test else wired.registry.joined
        left = wired.registry.left
        return await outdated_answers(self._services.targets, self._answers, joined, left, test=test)
