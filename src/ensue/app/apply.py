"""One run: compile, journal, engine, report."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.app.call_inputs import CallInputs
from ensue.app.context import CallContext
from ensue.app.environments import saltenv_of, top_options
from ensue.app.expander import SlsExpander
from ensue.app.functions import TargetFunctions
from ensue.app.lazy_arguments import LazyArguments
from ensue.app.planned_scopes import TellingExpander
from ensue.app.registrations import Registrations
from ensue.app.run_registry import RunRegistry
from ensue.app.target_matcher import ProjectMatcher
from ensue.contracts.accumulators import Accumulators
from ensue.derived import using_registry
from ensue.diagnostics import Diagnostic, Severity
from ensue.engine.engine import Engine
from ensue.engine.services import EngineOptions, EngineServices, Hooks
from ensue.errors import CompileError
from ensue.language.collector import Collector
from ensue.language.compiler import SlsRequest
from ensue.language.top import top_matches
from ensue.language.top_files import has_top_file
from ensue.model.report import RunReport
from ensue.model.returns import Return

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.services import Services
    from ensue.contracts.growth import Plan
    from ensue.engine.outcome import EngineOutcome
    from ensue.engine.resume import ResumedRun
    from ensue.language.compiler import Compiled
    from ensue.language.top import TopMatch
    from ensue.model.events import RunEvent
    from ensue.model.srn import Srn

_SLOTS_PER_CORE = 10


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

    async def compile(self, mods: Sequence[str]) -> tuple[Plan, tuple[Diagnostic, ...]]:
        """Return the plan of the SLS asked for, or of the highstate, and warnings.

        Raises:
            CompileError: with everything that is wrong.
        """
        services = self._services
        await services.prepare(services.minion)
        compiled, warnings = await asyncio.to_thread(self.compile_here, mods)
        return compiled.plan, (*services.settings.warnings, *warnings, *compiled.plan.warnings)

    def compile_here(self, mods: Sequence[str]) -> tuple[Compiled, tuple[Diagnostic, ...]]:
        """Do the same in this thread, pillar being there; the event loop runs in another."""
        compiled, warnings = self._compiled(mods)
        self._services.look_for_secrets(compiled.plan)
        return compiled, warnings

    def _compiled(self, mods: Sequence[str]) -> tuple[Compiled, tuple[Diagnostic, ...]]:
        services = self._services
        compiler = services.compiler(services.minion, test=self._switches.test)
        if mods:
            return compiler.compile([self._request(name) for name in mods]), ()
        found = Collector()
        matched = self._matched(found)
        found.stop_on_errors()
        requests = [SlsRequest(name=one.name, saltenv=one.saltenv) for one in matched or ()]
        warnings: tuple[Diagnostic, ...] = ()
        if matched is None:
            warnings = (self._no_top_file(Severity.WARNING),)
        elif not requests:
            warnings = (
                Diagnostic(
                    code="E0605",
                    summary=f"the top file gives nothing to {services.minion.id}",
                    help="add a target that matches it, or name an SLS",
                    severity=Severity.WARNING,
                ),
            )
        return compiler.compile(requests), warnings

    def top(self, found: Collector) -> Sequence[tuple[str, str, Any]]:
        """Return what the top file gives to this machine: (SLS, environment, place).

        Raises:
            CompileError: there is no top file.
        """
        self.must_have_top_file()
        matched = self._matched(found) or []
        return [(one.name, one.saltenv, one.span) for one in matched]

    def must_have_top_file(self) -> None:
        """Refuse to show what a top file gives where there is none.

        Raises:
            CompileError: there is none.
        """
        if not has_top_file(self._services.roots, top_options(self._services.settings)):
            raise CompileError([self._no_top_file(Severity.ERROR)])

    def _matched(self, found: Collector) -> list[TopMatch] | None:
        services = self._services
        render = services.renderer(services.minion, test=self._switches.test).render_file
        subject = services.subject(services.minion)
        return top_matches(services.roots, render, subject, found, top_options(services.settings))

    def _no_top_file(self, severity: Severity) -> Diagnostic:
        roots = self._services.roots
        folders = ", ".join(roots.shown(one) for name in roots.environments for one in roots.folders(name))
        return Diagnostic(
            code="E0604",
            summary="there is no top file",
            detail=f"no top.sls below {folders or 'any file root'}",
            help="name an SLS (`ensue apply web`), or write a top.sls (`ensue init`)",
            severity=severity,
        )

    def _request(self, name: str) -> SlsRequest:
        saltenv = saltenv_of(self._services.settings)
        if name.endswith(".sls"):
            # By its own name: where a link leads is not what was asked for.
            path = Path(os.path.abspath(self._services.settings.root / Path(name).expanduser()))  # noqa: PTH100
            return SlsRequest(path=path, saltenv=saltenv)
        return SlsRequest(name=name, saltenv=saltenv)

    def _takes_slot(self, srn: Srn) -> bool:
        """Say whether what runs on a target counts; a number that the user gives counts everything."""
        if self._switches.concurrency:
            return True
        return not self._services.plugins.resource_type(srn.type).IS_REMOTE

    async def execute(self, plan: Plan, resumed: ResumedRun | None = None) -> EngineOutcome:
        """Run a plan on the engine; what a run that is resumed has done is taken over from it."""
        services = self._services
        expander = SlsExpander(services, test=self._switches.test, top=plan)
        registry = RunRegistry(services.registry, services.directory, self._on_event, services.loop)
        matcher = ProjectMatcher(services)
        registrations = Registrations(services.states, registry, services.plugins, matcher.exact)
        gathered: defaultdict[Srn, Accumulators] = defaultdict(Accumulators)
        engine = Engine(
            EngineServices(
                functions=lambda srn: TargetFunctions(services.states_of(srn.type), srn.type),
                context_for=lambda site: CallContext(services, site, registry, gathered, self._on_event),
                expander=TellingExpander(expander, self._on_event, plan),
                on_event=self._on_event,
                hooks=Hooks(
                    awaits=registrations.awaits,
                    promises=registrations.promises,
                    arguments=LazyArguments(services),
                    registered=registrations.register,
                    matcher=matcher,
                    is_transient=registrations.is_transient,
                    takes_slot=self._takes_slot,
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
                outcome = await engine.run(plan, resumed.done if resumed else {})
        finally:
            services.insertions.clear()
        self._warnings_of_growth = expander.end()
        return outcome

    async def report(
        self,
        run_id: str,
        plan: Plan,
        warnings: Sequence[Diagnostic],
        *,
        asked_for_highstate: bool,
        resumed: ResumedRun | None = None,
    ) -> RunReport:
        """Run a plan and say what came of it."""
        started = perf_counter()
        outcome = await self.execute(plan, resumed)
        returns, exit_code, status = outcome.returns, outcome.exit_code, outcome.status
        nothing = [one for one in warnings if one.code in {"E0604", "E0605"}]
        if asked_for_highstate and not plan.chunks and nothing:
            # As in Salt: no top file, or one that gives nothing to this machine, is a failed state.
            returns, exit_code, status = (
                {"no_|-states_|-states_|-None": _no_states(self._services, nothing[0])},
                2,
                "failed",
            )
        return RunReport(
            run_id=run_id,
            minion_id=self._services.minion.id,
            test=self._switches.test,
            status=status,
            exit_code=exit_code,
            returns=returns,
            not_run=tuple(map(str, outcome.not_run)),
            warnings=(*warnings, *self._warnings_of_growth, *self._services.exposed.warnings()),
            duration_s=perf_counter() - started,
            resumes=resumed.run_id if resumed else "",
        )


def _no_states(services: Services, reason: Diagnostic) -> Return:
    return Return(
        tag="no_|-states_|-states_|-None",
        id="states",
        name="No States",
        sls="",
        module="no",
        function="None",
        scope="",
        target=str(services.minion),
        result=False,
        changes={},
        comment=f"No states found for this minion: {reason.summary} ({reason.help})",
        ran=False,
    )
