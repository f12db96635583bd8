"""The record of one run: its journal and its enforced states, written while it runs.

A run that cannot be recorded stops: nothing new starts, what is running ends, and the report says what was
run and what was not. Nothing starts unless its start is in the journal.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final, Self

import msgspec

from ensue.diagnostics import Diagnostic
from ensue.errors import DiskError, StoreError
from ensue.model.events import CommandStarted, NodeFinished, NodeStarted, RunFinished, RunStarted
from ensue.model.sizes import size_bytes
from ensue.runs.enforcement import Enforcement
from ensue.runs.journal import KEEP_RUNS, KEEP_RUNS_BYTES, Journal
from ensue.runs.output_bound import OutputBound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.services import Services
    from ensue.model.events import RunEvent
    from ensue.model.report import RunReport


_BEGINNINGS: Final = (NodeStarted, CommandStarted)


class RunRecord:
    """Receives every event of one run, records it and passes it on; an async context manager.

    Args:
        services: the project.
        run_id: the run.
        on_event: receives the events.
        test: whether the run is a plan.
        resumes: the runs that it resumes.
    """

    def __init__(
        self,
        services: Services,
        run_id: str,
        on_event: Callable[[RunEvent], None],
        *,
        test: bool,
        resumes: Sequence[str] = (),
    ) -> None:
        self._services = services
        self._settings = services.settings
        self._run_id = run_id
        self._on_event = on_event
        self._test = test
        self._resumes = resumes
        self._enforcement = Enforcement(services.enforced, services.store_thread, run_id, test=test)
        self._bound = OutputBound(self._settings.keep_output_bytes)
        self._journal: Journal | None = None
        self._fault: StoreError | None = None
        self._stop: Callable[[str], None] | None = None

    async def __aenter__(self) -> Self:
        """Read what earlier runs enforced."""
        await self._enforcement.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> None:
        """Close the journal, and forget what earlier runs enforced."""
        if self._journal is not None:
            with suppress(StoreError):  # The report says so.
                self._journal.close()
        await self._enforcement.__aexit__(*failure)

    def stops(self, stop: Callable[[str], None]) -> None:
        """Call this with the reason if the run cannot be recorded any more."""
        self._stop = stop
        self._stop_if_due()

    def tell(self, event: RunEvent) -> None:
        """Record an event and pass it on.

        Raises:
            StoreError: the beginning of something cannot be recorded, so it must not happen.
        """
        if type(event) is NodeFinished:
            self._enforcement.see(event.returned)
        if self._fault is None or not isinstance(event, _BEGINNINGS):
            try:
                self._opened().write(event)
            except StoreError as error:
                if isinstance(event, RunStarted):
                    raise
                self._fault = self._fault or error
        self._stop_if_due()
        if self._fault is not None and isinstance(event, _BEGINNINGS):
            raise self._fault
        self._on_event(event)

    async def end(self, report: RunReport) -> RunReport:
        """Record the end of the run; return its report, with warnings for whatever was not recorded."""
        if reason := report.stopped or (str(self._fault) if self._fault else ""):
            # The journal first: resuming the run records the enforced states, too.
            report = report.as_stopped(reason, self._complaint(reason))
            self._tell_end(report)
            await self._enforcement.end(report)
            return report
        report = await self._enforcement.end(report)
        if (left_out := self._bound.warning()) is not None:
            report = msgspec.structs.replace(report, warnings=(*report.warnings, left_out))
        self._tell_end(report)
        if self._fault is None:
            return report
        return report.as_stopped(str(self._fault), self._complaint(str(self._fault)))

    def _tell_end(self, report: RunReport) -> None:
        self.tell(
            RunFinished(
                run_id=self._run_id,
                status=report.status,
                exit_code=report.exit_code,
                ended_at=now(),
                not_run=report.not_run,
                stopped=report.stopped,
            )
        )

    def _opened(self) -> Journal:
        """Return the journal, which the first event creates, so a refused run has none."""
        if self._journal is None:
            keep_runs_bytes = size_bytes(self._settings.option("keep_runs_bytes", KEEP_RUNS_BYTES))
            self._journal = Journal.create(
                self._settings.cachedir,
                self._run_id,
                masker=self._services.masker,
                keep_runs=int(self._settings.option("keep_runs", KEEP_RUNS)),
                keep_runs_bytes=keep_runs_bytes or KEEP_RUNS_BYTES,
                resumes=self._resumes,
                bound=self._bound,
            )
            self._journal.write_together(asyncio.get_running_loop().call_soon)
        return self._journal

    def _stop_if_due(self) -> None:
        """Stop the run if its journal cannot be written, or its enforced states find no room."""
        fault = self._fault
        if fault is None and not self._test and isinstance(self._enforcement.fault, DiskError):
            fault = self._enforcement.fault
        if fault is not None and self._stop is not None:
            self._stop(str(fault))

    def _complaint(self, fault: str) -> Diagnostic:
        again = "plan again" if self._test else f"continue: ensue runs resume {self._run_id}"
        return Diagnostic(
            code="E0111",
            summary=f"the run was stopped: {fault}",
            detail="what had started was carried out and is in this report; nothing else was started",
            help=f"make room on the disk, or the file writable, and {again}",
        )


def now() -> str:
    """Return the local time, as events have it."""
    return datetime.now().astimezone().isoformat(timespec="microseconds")
