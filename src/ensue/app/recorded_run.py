"""One run as a project does it: with its journal, its enforced state, and what a resumed run has left."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from ensue.app.apply import ApplySwitches, Run
from ensue.app.first_plans import FirstPlans
from ensue.diagnostics import Diagnostic, Severity
from ensue.errors import StillRunningError, UnknownRunError
from ensue.model.events import NodeFinished, RunFinished, RunStarted
from ensue.model.sizes import size_bytes
from ensue.runs.enforcement import Enforcement
from ensue.runs.journal import KEEP_RUNS, KEEP_RUNS_BYTES, Journal, new_run_id
from ensue.runs.output_bound import OutputBound
from ensue.runs.run_chain import chain_to_resume, commands_left_running

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ensue.app.deployment_run import DeploymentRun
    from ensue.app.services import Services
    from ensue.model.events import CommandStarted, RunEvent
    from ensue.model.report import RunReport
    from ensue.runs.resume import ResumedRun


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How one run is done.

    Args:
        test: a plan.
        concurrency: how many functions run at once; None: 10 x cores, remote ones not counted.
        failhard: stop at the first failure; None: ensue.yaml's `failhard`.
        wait_for_lock: wait for another apply of the project instead of refusing.
        resume: the id, or the beginning of it, of a run to go on with; it names the SLS and the target.
        despite_running: resume although commands of that run still run.
        tgt: SLS are compiled for, and run on, every resource that this target matches; None: this machine.
    """

    test: bool = False
    concurrency: int | None = None
    failhard: bool | None = None
    wait_for_lock: bool = False
    resume: str | None = None
    despite_running: bool = False
    tgt: str | None = None


class RecordedRun:
    """One apply or plan.

    Args:
        services: the project.
        options: how it is done.
        begin: told of the run's id before anything runs.
        warn: told at once of what is to be known before anything runs.
        deployment: what is deployed in the place of SLS; None: SLS are run.
    """

    def __init__(
        self,
        services: Services,
        options: RunOptions,
        *,
        begin: Callable[[str], None],
        warn: Callable[[Diagnostic], None],
        deployment: DeploymentRun | None = None,
    ) -> None:
        self._services = services
        self._settings = services.settings
        self._options = options
        self._begin = begin
        self._warn = warn
        self._deployment = deployment

    async def go(self, mods: Sequence[str], on_event: Callable[[RunEvent], None]) -> RunReport:
        """Compile and run SLS, or the highstate when `mods` is empty; a resumed run says itself which.

        Raises:
            CompileError: nothing was run.
            UnknownRunError: the run to resume cannot be.
            StillRunningError: commands of the run to resume still run.
        """
        resumed = self._resumed()
        mods = resumed.mods if resumed else mods
        tgt = resumed.tgt or None if resumed else self._options.tgt
        run_id = new_run_id(datetime.now(UTC))
        enforcement = Enforcement(self._services.enforced, run_id, test=self._options.test)
        bound = OutputBound(self._settings.keep_output_bytes)
        with self._journal(run_id, on_event, resumed, bound) as tell_others:

            def tell(event: RunEvent) -> None:
                if type(event) is NodeFinished:
                    enforcement.see(event.returned)
                tell_others(event)

            run = Run(self._services, self._switches(), tell)
            first = await self._first(run, mods, tgt)
            self._begin(run_id)
            if resumed is None and not self._options.test:
                for one in await asyncio.to_thread(self._left_running):
                    self._warn(one)
            tell(
                RunStarted(
                    run_id=run_id,
                    test=self._options.test,
                    total=first.total,
                    started_at=_now(),
                    mods=tuple(mods),
                    minion_id=self._services.minion.id,
                    resumes=resumed.run_id if resumed else "",
                    tgt=tgt or "",
                    deployment=self._deployment.order.environment if self._deployment else "",
                )
            )
            highstate = not mods and self._deployment is None
            report = await run.report(run_id, first, asked_for_highstate=highstate, resumed=resumed)
            report = enforcement.end(report)
            if (left_out := bound.warning()) is not None:
                report = msgspec.structs.replace(report, warnings=(*report.warnings, left_out))
            tell(
                RunFinished(
                    run_id=run_id,
                    status=report.status,
                    exit_code=report.exit_code,
                    ended_at=_now(),
                    not_run=report.not_run,
                )
            )
        return report

    async def _first(self, run: Run, mods: Sequence[str], tgt: str | None) -> FirstPlans:
        if self._deployment is None:
            return await run.compile(mods, tgt)
        minion = self._services.minion
        await self._services.prepare(minion)
        plan = await self._deployment.planned(minion, "")
        return FirstPlans(own=plan, warnings=(*self._services.settings.warnings, *plan.warnings))

    def _switches(self) -> ApplySwitches:
        options, settings = self._options, self._settings
        failhard = settings.option("failhard") if options.failhard is None else options.failhard
        return ApplySwitches(
            test=options.test,
            concurrency=options.concurrency or settings.option("concurrency"),
            failhard=bool(failhard),
        )

    def _resumed(self) -> ResumedRun | None:
        options = self._options
        if options.resume is None:
            return None
        from ensue.runs.own_minion import own_minion
        from ensue.runs.resume import resumed_run

        chain = chain_to_resume(self._settings.cachedir, options.resume)
        resumed = resumed_run(chain)
        own = self._services.minion.id
        if (was := own_minion(chain[0], own)) != own:
            msg = f"{resumed.run_id} was a run of {was!r}, and this is {own!r} (resume it with --id {was})"
            raise UnknownRunError(msg)
        if resumed.still_running and not options.despite_running:
            raise StillRunningError(
                [
                    Diagnostic(
                        code="E0108",
                        summary=f"a command of {resumed.run_id} still runs: {_told(command)}",
                        help=f"wait for its end, or end it (kill -- -{command.pid}); with --despite-running"
                        " its state is called again beside it",
                    )
                    for command in resumed.still_running
                ]
            )
        return resumed

    def _left_running(self) -> list[Diagnostic]:
        return [
            Diagnostic(
                code="E0109",
                summary=f"a command of a run that was killed still runs: {_told(command)}",
                help="this apply does not wait for it",
                severity=Severity.WARNING,
            )
            for command in commands_left_running(self._settings.cachedir)
        ]

    @contextmanager
    def _journal(
        self,
        run_id: str,
        on_event: Callable[[RunEvent], None],
        resumed: ResumedRun | None,
        bound: OutputBound,
    ) -> Generator[Callable[[RunEvent], None]]:
        """Yield what is told of every event; the journal begins with the first: a refused run leaves none."""
        journal: Journal | None = None
        keep_runs = int(self._settings.option("keep_runs", KEEP_RUNS))
        keep_runs_bytes = size_bytes(self._settings.option("keep_runs_bytes", KEEP_RUNS_BYTES))

        def tell(event: RunEvent) -> None:
            nonlocal journal
            if journal is None:
                masker = self._services.masker
                chain = resumed.chain if resumed else ()
                journal = Journal.create(
                    self._settings.cachedir,
                    run_id,
                    masker=masker,
                    keep_runs=keep_runs,
                    keep_runs_bytes=keep_runs_bytes or KEEP_RUNS_BYTES,
                    resumes=chain,
                    bound=bound,
                )
                journal.write_together(asyncio.get_running_loop().call_soon)
            journal.write(event)
            on_event(event)

        try:
            yield tell
        finally:
            if journal is not None:
                journal.close()


def _told(command: CommandStarted) -> str:
    where = f" in {command.scope}" if command.scope else ""
    return f"pid {command.pid}, {command.command!r}, of {command.tag_}{where}"


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="microseconds")
