"""One run as a project does it: with its journal, its enforced state, and what an earlier run has left."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.app.apply import ApplySwitches, Run
from ensue.app.enforcement import Enforcement
from ensue.engine.earlier import EarlierRun, earlier_run
from ensue.engine.journal import Journal, new_run_id, read_run
from ensue.errors import UnknownRunError
from ensue.model.events import NodeFinished, RunFinished, RunStarted
from ensue.output.own_minion import own_minion

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ensue.app.services import Services
    from ensue.model.events import RunEvent
    from ensue.model.report import RunReport

_KEPT_RUNS: Final = 100


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How one run is done.

    Args:
        test: a plan.
        concurrency: how many functions run at once; None: 10 x cores.
        failhard: stop at the first failure; None: ensue.yaml's `failhard`.
        wait_for_lock: wait for another apply of the project instead of refusing.
        resume: the id, or the beginning of it, of a run to go on with; it says which SLS.
    """

    test: bool = False
    concurrency: int | None = None
    failhard: bool | None = None
    wait_for_lock: bool = False
    resume: str | None = None


class RecordedRun:
    """One apply or plan.

    Args:
        services: the project.
        options: how it is done.
        begin: told of the run's id before anything runs.
    """

    def __init__(self, services: Services, options: RunOptions, *, begin: Callable[[str], None]) -> None:
        self._services = services
        self._settings = services.settings
        self._options = options
        self._begin = begin

    async def go(self, mods: Sequence[str], on_event: Callable[[RunEvent], None]) -> RunReport:
        """Compile and run SLS, or the highstate when `mods` is empty; a resumed run says itself which.

        Raises:
            CompileError: nothing was run.
            UnknownRunError: the run to resume cannot be.
        """
        earlier = self._earlier()
        mods = earlier.mods if earlier else mods
        run_id = new_run_id(datetime.now(UTC))
        enforcement = Enforcement(self._services.enforced, run_id, test=self._options.test)
        with self._journal(run_id, on_event) as tell_others:

            def tell(event: RunEvent) -> None:
                if type(event) is NodeFinished:
                    enforcement.see(event.returned)
                tell_others(event)

            run = Run(self._services, self._switches(), tell)
            plan, warnings = await run.compile(mods)
            self._begin(run_id)
            tell(
                RunStarted(
                    run_id=run_id,
                    test=self._options.test,
                    total=len(plan.chunks),
                    started_at=_now(),
                    mods=tuple(mods),
                    minion_id=self._services.minion.id,
                )
            )
            report = await run.report(run_id, plan, warnings, asked_for_highstate=not mods, earlier=earlier)
            report = enforcement.end(report)
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

    def _switches(self) -> ApplySwitches:
        options, settings = self._options, self._settings
        failhard = settings.option("failhard") if options.failhard is None else options.failhard
        return ApplySwitches(
            test=options.test,
            concurrency=options.concurrency or settings.option("concurrency"),
            failhard=bool(failhard),
        )

    def _earlier(self) -> EarlierRun | None:
        if self._options.resume is None:
            return None
        events = read_run(self._settings.cachedir, self._options.resume)
        earlier = earlier_run(events)
        own = self._services.minion.id
        if (was := own_minion(events, own)) != own:
            msg = f"{earlier.run_id} was a run of {was!r}, and this is {own!r} (resume it with --id {was})"
            raise UnknownRunError(msg)
        return earlier

    @contextmanager
    def _journal(
        self, run_id: str, on_event: Callable[[RunEvent], None]
    ) -> Generator[Callable[[RunEvent], None]]:
        """Yield what is told of every event; the journal begins with the first: a refused run leaves none."""
        journal: Journal | None = None
        keep_runs = int(self._settings.option("keep_runs", _KEPT_RUNS))

        def tell(event: RunEvent) -> None:
            nonlocal journal
            if journal is None:
                masker = self._services.masker
                journal = Journal.create(self._settings.cachedir, run_id, masker=masker, keep_runs=keep_runs)
                journal.write_together(asyncio.get_running_loop().call_soon)
            journal.write(event)
            on_event(event)

        try:
            yield tell
        finally:
            if journal is not None:
                journal.close()


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="microseconds")
