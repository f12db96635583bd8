"""The record of one run: its journal and its enforced states, written while it runs.

A run that cannot be recorded stops: nothing new starts, what is running ends, and the report says what was
run and what was not. No call is made unless its start is in the journal. Both are written in threads: the
event loop waits for no disk.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Self

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import DiskError, StoreError
from ensue.core.model.events import BEGINNINGS, NodeFinished, RunFinished
from ensue.core.model.sizes import size_bytes
from ensue.store.runs.enforcement import INTERRUPTED
from ensue.store.runs.journal import KEEP_RUNS, KEEP_RUNS_BYTES, Journal
from ensue.store.runs.journal_writer import JournalWriter
from ensue.store.runs.output_bound import OutputBound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.masking import Masker
    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.events import NodeStarted, RunEvent, RunStarted
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.language.settings.settings import Settings
    from ensue.store.runs.enforcement import Enforcement


class RunRecord:
    """Receives every event of one run, records it and passes it on; an async context manager.

    Args:
        settings: the options of the project.
        masker: its secrets.
        enforcement: records the enforced states of this run.
        run_id: the run.
        on_event: receives the events.
        test: whether the run is a plan.
        resumes: the runs that it resumes.
    """

    def __init__(
        self,
        settings: Settings,
        masker: Masker,
        enforcement: Enforcement,
        run_id: str,
        on_event: Callable[[RunEvent], None],
        *,
        test: bool,
        resumes: Sequence[str] = (),
    ) -> None:
        self._settings = settings
        self._masker = masker
        self._run_id = run_id
        self._on_event = on_event
        self._test = test
        self._resumes = resumes
        self._enforcement = enforcement
        self._bound = OutputBound(self._settings.keep_output_bytes)
        self._journal: JournalWriter | None = None
        self._has_ended = False
        self._again = ""
        self._fault: StoreError | None = None
        self._stop: Callable[[str], None] | None = None

    async def __aenter__(self) -> Self:
        """Read what earlier runs enforced."""
        await self._enforcement.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> None:
        """Close the journal, and forget what earlier runs enforced.

        A run that a signal ends before it has any states ends here; one that fails has no end in its journal.
        """
        if self._journal is not None:
            if not self._has_ended and isinstance(failure[1], asyncio.CancelledError):
                interrupted = RunFinished(
                    run_id=self._run_id, status="interrupted", exit_code=INTERRUPTED, ended_at=now()
                )
                self._journal.write(interrupted)
            with suppress(StoreError):  # The report says so.
                await self._journal.close()
        await self._enforcement.__aexit__(*failure)

    def stops(self, stop: Callable[[str], None]) -> None:
        """Call this with the reason if the run cannot be recorded any more."""
        self._stop = stop
        self._stop_if_due()

    def declares(self, declared_by: Callable[[Return], EnforcedBy | None]) -> None:
        """Record with each enforced state the declaration that this returns for it."""
        self._enforcement.declared_by = declared_by

    async def begin(self, event: RunStarted) -> None:
        """Create the journal with its first event, and report that; a refused run has no journal.

        Raises:
            StoreError: it cannot be created.
        """
        self._again = self._enforcement.again = event.resume_command
        self._journal = await JournalWriter.open(self._created, self._note_fault)
        self._journal.write(event)
        await self._journal.recorded()
        self._enforcement.follow(event)
        self._on_event(event)

    def tell(self, event: RunEvent) -> None:
        """Report an event, and have it recorded.

        Raises:
            StoreError: the run cannot be recorded, so what the event announces must not happen.
        """
        self._enforcement.follow(event)
        if type(event) is NodeFinished:
            self._enforcement.see(event.returned)
        self._stop_if_due()
        self._hand_over(event)
        self._on_event(event)

    async def announce(self, event: NodeStarted) -> None:
        """Record that a call is about to be made, and report it; a plan, which does nothing, does not wait.

        Raises:
            StoreError: that cannot be recorded, so the call must not be made.
        """
        self._hand_over(event)
        if not self._test and self._journal is not None:
            try:
                await self._journal.recorded()
            except StoreError as error:
                self._note_fault(error)
            if self._fault is not None:
                raise self._fault
        self._on_event(event)

    async def write_enforced(self) -> None:
        """Write the enforced states of a run that has called its last state (`Enforcement.write_rest`)."""
        await self._enforcement.write_rest()

    async def end(self, report: RunReport, counts_of: Callable[[RunReport], Mapping[str, int]]) -> RunReport:
        """Record the end of the run; return its report, with warnings for whatever was not recorded.

        Args:
            report: the report.
            counts_of: counts the states of a report, by the fields of `RunCounts`.
        """
        stopped = "" if report.too_many_failed else report.stopped
        if reason := stopped or (str(self._fault) if self._fault else ""):
            # The journal first: resuming the run records the enforced states, too.
            report = report.as_stopped(reason, self._complaint(reason))
            await self._tell_end(report, counts_of(report))
            await self._enforcement.end(report)
            return report
        report = await self._enforcement.end(report)
        if (left_out := self._bound.warning()) is not None:
            report = msgspec.structs.replace(report, warnings=(*report.warnings, left_out))
        await self._tell_end(report, counts_of(report))
        if self._fault is None:
            return report
        return report.as_stopped(str(self._fault), self._complaint(str(self._fault)))

    async def _tell_end(self, report: RunReport, counts: Mapping[str, int]) -> None:
        self._has_ended = True
        self.tell(
            RunFinished(
                run_id=self._run_id,
                status=report.status,
                exit_code=report.exit_code,
                ended_at=now(),
                not_run=report.not_run,
                hosts_not_run=report.hosts_not_run,
                not_run_on=report.not_run_on,
                owed_not_run=report.owed_not_run,
                counts=dict(counts),
                stopped=report.stopped,
            )
        )
        if self._journal is not None:
            with suppress(StoreError):  # It is noted as the fault.
                await self._journal.recorded()

    def _hand_over(self, event: RunEvent) -> None:
        """Have an event written.

        Raises:
            StoreError: it announces something, and the journal cannot be written.
        """
        if self._fault is not None and isinstance(event, BEGINNINGS):
            raise self._fault
        if self._journal is not None:
            self._journal.write(event)

    def _created(self) -> Journal:
        """Create the journal; called in a thread."""
        option = self._settings.option
        return Journal.create(
            self._settings.cachedir,
            self._run_id,
            masker=self._masker,
            keep_runs=int(option("keep_runs", KEEP_RUNS)),
            keep_runs_bytes=size_bytes(option("keep_runs_bytes", KEEP_RUNS_BYTES)) or KEEP_RUNS_BYTES,
            resumes=self._resumes,
            bound=self._bound,
        )

    def _note_fault(self, error: StoreError) -> None:
        self._fault = self._fault or error
        self._stop_if_due()

    def _stop_if_due(self) -> None:
        """Stop the run if its journal cannot be written, or its enforced states find no room."""
        fault = self._fault
        if fault is None and not self._test and isinstance(self._enforcement.fault, DiskError):
            fault = self._enforcement.fault
        if fault is not None and self._stop is not None:
            self._stop(str(fault))

    def _complaint(self, fault: str) -> Diagnostic:
        again = "plan again" if self._test else f"continue: {self._again}"
        return Diagnostic(
            code="E0111",
            summary=f"the run was stopped: {fault}",
            detail="what had started was carried out and is in this report; nothing else was started",
            help=f"make room on the disk, or the file writable, and {again}",
        )


def now() -> str:
    """Return the local time, as events have it."""
    return datetime.now().astimezone().isoformat(timespec="microseconds")
