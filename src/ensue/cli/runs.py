"""`ensue runs`: what earlier runs did, read back from their journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_run
from ensue.cli.events_option import events_option, writing_events
from ensue.cli.group import ExampleGroup
from ensue.cli.options import follow_option, global_options, pillar_options, project_options, result_options
from ensue.cli.wait_option import wait_option

if TYPE_CHECKING:
    from ensue.cli.options import CommonOptions
    from ensue.cli.session import Session
    from ensue.core.masking import Masker
    from ensue.core.model.events import RunStarted
    from ensue.core.model.report import RunReport, RunSummary


@click.group(
    "runs",
    cls=ExampleGroup,
    examples=(
        ("ensue runs list", "when, what, how it ended"),
        ("ensue runs show 20260101-1200", "the results of one run, by the beginning of its id"),
        ("ensue runs resume", "continue the last run, which was interrupted"),
    ),
)
@global_options
def command() -> None:
    """List earlier runs, show their results, resume one."""


@command.command(
    "list",
    cls=ProjectCommand,
    examples=(
        ("ensue runs list", "a table, newest first"),
        ("ensue runs list --limit 5 --out json", "the last five, as one JSON document"),
    ),
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show only the newest N runs.")
@project_options("nested", "json", "yaml", "quiet")
def list_(session: Session, *, limit: int | None) -> int:
    """List the runs of this project, newest first."""
    summaries = session.open().runs()[:limit]
    if session.out == "nested":
        session.print_text([_table(session, summaries)])
    else:
        session.print_document([_summary_data(summary, session.masker) for summary in summaries])
    return exit_codes.SUCCEEDED


def _summary_data(summary: RunSummary, masker: Masker) -> dict[str, Any]:
    """Return a summary as data; all of its texts are names."""
    from msgspec.structs import asdict

    shown = {key: _named(value, masker) for key, value in asdict(summary).items()}
    return {**shown, "duration_s": summary.duration_s}


def _named(value: Any, masker: Masker) -> Any:
    if isinstance(value, list | tuple):
        return [_named(item, masker) for item in cast("list[Any]", value)]
    return masker.name(value) if isinstance(value, str) else value


def _what(summary: RunSummary) -> str:
    from ensue.core.model.resume_command import pillar_words

    target = f" --tgt {summary.tgt}" if summary.tgt else ""
    pillar = pillar_words(summary.pillar_keys)
    if summary.deployment:
        return f"{'plan of deploy' if summary.test else 'deploy'} {summary.deployment}"
    part = f" {summary.part}" if summary.part else ""
    states = ", ".join(summary.mods) or "(highstate)"
    return f"{'plan' if summary.test else 'apply'}{target} {states}{part}{pillar}"


def _duration(summary: RunSummary) -> str:
    """Return how long a run took; empty for one that did not end."""
    from ensue.output.outcome import seconds_text

    seconds = summary.duration_s
    return "" if seconds is None else seconds_text(seconds)


def _table(session: Session, summaries: list[RunSummary]) -> str:
    from ensue.output.tables import table_text

    headings = (
        "run",
        "started",
        "duration",
        "what",
        "status",
        "changed",
        "unchanged",
        "failed",
        "not run",
        "exit",
        "resumes",
    )
    rows = [
        (
            summary.run_id,
            summary.started_at,
            _duration(summary),
            _what(summary),
            summary.status,
            str(summary.changed),
            str(summary.unchanged),
            str(summary.failed + summary.unreachable),
            str(summary.not_run),
            "" if summary.exit_code is None else str(summary.exit_code),
            summary.resumes,
        )
        for summary in summaries
    ]
    return table_text(headings, rows, session.stdout_palette)


@command.command(
    "show",
    cls=ProjectCommand,
    names_minion=True,
    examples=(
        ("ensue runs show 20260101-1200", "the results, as apply printed them"),
        ("ensue runs show 20260101-1200 --out json", "the same document that apply --out json printed"),
        ("ensue runs show last --recap --out json", "how many states of each host changed, failed, …"),
    ),
)
@click.argument("run_id", metavar="RUN", shell_complete=complete_run)
@click.option(
    "--recap", is_flag=True, help="Show only how many states of each host changed, failed and so on."
)
@result_options
@project_options("highstate", "short", "json", "yaml", "quiet")
def show(
    session: Session, *, run_id: str, recap: bool, state_output: str | None, state_verbose: bool | None
) -> int:
    """Show the results of one run, named by its id or the beginning of it.

    A run that was killed is shown as far as it got.
    """
    from ensue.cli.layout import ResultLayout, print_report
    from ensue.store.runs.history_report import report_from_events

    project = session.open()
    report = report_from_events(project.run_events(run_id), project.minion_id)
    if recap:
        return _print_recap(session, report)
    print_report(session, report, ResultLayout(state_output=state_output, state_verbose=state_verbose))
    return exit_codes.SUCCEEDED


def _print_recap(session: Session, report: RunReport) -> int:
    from ensue.output.recap import recap_data, recap_text

    if session.is_for_programs:
        session.print_document(recap_data(report))
    elif session.out != "quiet":
        session.print_text([recap_text(report, session.stdout_palette)])
    return exit_codes.SUCCEEDED


@command.command(
    "resume",
    cls=ProjectCommand,
    names_minion=True,
    examples=(
        ("ensue runs resume", "continue the last run"),
        ("ensue runs resume 20260101-1200 --pillar port=8080", "with the pillar that it was started with"),
    ),
)
@click.argument("run_id", metavar="[RUN]", default="last", shell_complete=complete_run)
@wait_option
@click.option(
    "--despite-running", is_flag=True, help="Resume even if commands of the killed run are still running."
)
@follow_option
@events_option
@result_options
@pillar_options
@project_options("highstate", "short", "json", "yaml", "quiet")
def resume(
    session: Session,
    *,
    run_id: str,
    follow: bool,
    wait: bool | float,
    despite_running: bool,
    events: str | None,
    state_output: str | None,
    state_verbose: bool | None,
) -> int:
    """Resume an apply that was killed or interrupted: the last one, unless RUN names another.

    The id of this machine, --saltenv, --pillarenv, --failhard, the target with its limits and the chosen part
    are taken from the journal of that run. Its --pillar and --pillar-file are not kept, because they may
    hold secrets: give them again. Other keys or values are refused.

    The same SLS are compiled again. A state that succeeded is not called again: states that depend on it get
    its return from the journal. A succeeded state is called again if its arguments, or what it read (salt://
    files; pillar and grains in templates), have changed since, if its return held a secret, or if its effect
    ended with the process. If that run itself resumed another one, what either finished counts.

    Refused while a command of the killed run is still running on this machine.

    A run over minions takes what its jobs have reported since, and goes on with the rest: no job runs twice.

    Exit code: 0 success; 1 refused, nothing was run; 2 a state failed; 130 interrupted.
    """
    from ensue.app.project import RunOptions
    from ensue.cli.apply import run_states
    from ensue.cli.layout import ResultLayout
    from ensue.store.runs.kept_fleet import is_of_fleet

    project = session.open()
    if project.fleet and is_of_fleet(project.cachedir, run_id):
        from ensue.cli.fleet_runs import refuse_unsupported, resumed_on_fleet

        refuse_unsupported(
            {"--follow": follow, "--state-output": state_output, "--state-verbose": state_verbose}
        )
        with writing_events(session, events):
            return resumed_on_fleet(session, run_id, wait)
    if (started := project.start_to_resume(run_id)) is not None:
        session.options = _as_started(session.options, started)
    options = RunOptions(
        wait_for_lock=wait,
        resume=run_id,
        despite_running=despite_running,
        environments=session.options.overrides,
    )
    layout = ResultLayout(state_output=state_output, state_verbose=state_verbose)
    with writing_events(session, events):
        return run_states(session, (), options, layout, follow=follow)


def _as_started(options: CommonOptions, started: RunStarted) -> CommonOptions:
    """Return the options of a command line with those of the run that it resumes.

    Raises:
        UnknownRunError: it names another environment than that run had.
    """
    if options.minion_id is None and started.minion_id:
        options = options._replace(minion_id=started.minion_id)
    if started.pillar is None:
        return options  # A journal of ensue 0.1.0 does not name them.
    from ensue.core.errors import UnknownRunError

    environments = started.environments
    for name, value in options.overrides.items():
        if value != (was := environments.get(name)):
            had = f"had --{name} {was}" if was else f"had no --{name}"
            raise UnknownRunError(
                f"{started.run_id} {had}, and is resumed like that (leave out --{name} {value})"
            )
    return options._replace(saltenv=environments.get("saltenv"), pillarenv=environments.get("pillarenv"))
