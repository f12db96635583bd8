"""What `apply` and `plan` share: run SLS with progress on stderr, print the results on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from ensue.cli import exit_codes
from ensue.cli.layout import ResultLayout, print_report

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.app.project import Project, RunOptions
    from ensue.cli.session import Session
    from ensue.model.events import RunEvent
    from ensue.model.report import RunReport

_MOST_NOT_RUN = 50

Result = TypeVar("Result")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What one command line wants run.

    Args:
        mods: SLS names; none is the highstate.
        run: how it is run.
        layout: how its results are printed.
        detailed_exitcode: whether the exit code of a plan tells whether anything would change.
    """

    mods: tuple[str, ...]
    run: RunOptions
    layout: ResultLayout
    detailed_exitcode: bool = False


class Progress(Protocol):
    """Takes the events of a run."""

    def __call__(self, event: RunEvent) -> None:
        """Take one."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


def run_states(session: Session, order: Order) -> int:
    """Run SLS, print the results, and return the exit code."""

    async def work(project: Project) -> RunReport:
        def start(told: Callable[[RunEvent], None]) -> Awaitable[RunReport]:
            return project.apply(
                order.mods, order.run, on_event=told, on_warning=lambda one: session.print_diagnostics([one])
            )

        return await followed(session, start)

    report = session.run(work)
    print_report(session, report, order.layout)
    if report.not_run and session.out not in {"highstate", "plan"}:
        _tell_not_run(session, report)
    if report.warnings:
        session.print_diagnostics(report.warnings)
    if report.status == "interrupted":
        return exit_codes.INTERRUPTED
    return _detailed(report) if order.detailed_exitcode else report.exit_code


def _detailed(report: RunReport) -> int:
    """Return the exit code that terraform's plan has with the option of this name."""
    from ensue.output.outcome import outcome_of

    if report.exit_code:
        return exit_codes.REFUSED
    outcome = outcome_of(report)
    return exit_codes.CHANGES if outcome.changed or outcome.unknown else exit_codes.SUCCEEDED


async def followed(
    session: Session, start: Callable[[Callable[[RunEvent], None]], Awaitable[Result]]
) -> Result:
    """Do a run and show its progress.

    Args:
        session: the command.
        start: begins the run, given what is to be told of its events.
    """
    progress = _progress(session)
    try:
        return await start(progress.__call__)
    finally:
        progress.close()


def _tell_not_run(session: Session, report: RunReport) -> None:
    """Say on stderr what the form of the results has no place for."""
    from ensue.output.colours import on_one_line

    names = on_one_line(session.masker.text(", ".join(report.not_run[:_MOST_NOT_RUN])))
    more = f" and {len(report.not_run) - _MOST_NOT_RUN} more" if len(report.not_run) > _MOST_NOT_RUN else ""
    session.lines.write(f"ensue: not run: {names}{more}")


class _Silence:
    def __call__(self, event: RunEvent) -> None:
        pass

    def close(self) -> None:
        pass


def _progress(session: Session) -> Progress:
    """Return the progress that fits: none, plain lines, or a live tree on a terminal."""
    if session.out == "quiet":
        return _Silence()
    import asyncio

    from ensue.output.colours import is_terminal
    from ensue.output.progress import PlainProgress

    loop: Any = asyncio.get_running_loop()
    palette = session.stderr_palette
    if is_terminal(session.lines.stream) and not _is_dumb():
        from ensue.output.live import LiveProgress

        return LiveProgress(session.lines, session.masker, loop, palette)
    return PlainProgress(session.lines, session.masker, loop, palette)


def _is_dumb() -> bool:
    import os

    return os.environ.get("TERM", "dumb") == "dumb"


def run_options(
    *,
    test: bool,
    concurrency: int | None,
    failhard: bool | None,
    wait: bool,
    resume: str | None = None,
    despite_running: bool = False,
    tgt: str | None = None,
) -> RunOptions:
    """Return how a run is done, as the command line says."""
    from ensue.app.project import RunOptions

    return RunOptions(
        test=test,
        concurrency=concurrency,
        failhard=failhard,
        wait_for_lock=wait,
        resume=resume,
        despite_running=despite_running,
        tgt=tgt,
    )


def mods_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the SLS names of a command line: separated by blanks, or by commas as in Salt."""
    return tuple(name for word in words for name in word.split(",") if name)
