"""`ensue runs`: what earlier runs did, read back from their journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_run
from ensue.cli.group import ExampleGroup
from ensue.cli.options import global_options, project_options, result_options

if TYPE_CHECKING:
    from ensue.cli.session import Session
    from ensue.model.report import RunSummary


@click.group(
    "runs",
    cls=ExampleGroup,
    examples=(
        ("ensue runs list", "when, what, how it ended"),
        ("ensue runs show 20260101-1200", "the results of one run, by the beginning of its id"),
    ),
)
@global_options
def command() -> None:
    """List earlier runs and show their results."""


@command.command(
    "list",
    cls=ProjectCommand,
    examples=(
        ("ensue runs list", "a table, newest first"),
        ("ensue runs list --limit 5 --out json", "the last five, as one JSON document"),
    ),
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show the newest N runs alone.")
@project_options("nested", "json", "yaml", "quiet")
def list_(session: Session, *, limit: int | None) -> int:
    """List the runs of this project, newest first."""
    from ensue.output.presentable import presentable

    summaries = session.open().runs()[:limit]
    if session.out == "nested":
        session.print_text([_table(session, summaries)])
    else:
        session.print_document([presentable(_summary_data(one), session.masker) for one in summaries])
    return exit_codes.SUCCEEDED


def _summary_data(summary: RunSummary) -> dict[str, Any]:
    from msgspec.structs import asdict

    return asdict(summary)


def _table(session: Session, summaries: list[RunSummary]) -> str:
    from ensue.output.tables import table_text

    headings = ("run", "started", "what", "status", "succeeded", "changed", "failed", "exit")
    rows = [
        (
            one.run_id,
            one.started_at,
            ("plan " if one.test else "apply ") + (", ".join(one.mods) or "(highstate)"),
            one.status,
            str(one.succeeded),
            str(one.changed),
            str(one.failed),
            "" if one.exit_code is None else str(one.exit_code),
        )
        for one in summaries
    ]
    return table_text(headings, rows, session.stdout_palette)


@command.command(
    "show",
    cls=ProjectCommand,
    names_minion=True,
    examples=(
        ("ensue runs show 20260101-1200", "the results, as apply printed them"),
        ("ensue runs show 20260101-1200 --out json", "the same document that apply --out json printed"),
    ),
)
@click.argument("run_id", metavar="RUN", shell_complete=complete_run)
@result_options
@project_options("highstate", "json", "yaml", "quiet")
def show(session: Session, *, run_id: str, state_output: str | None, state_verbose: bool | None) -> int:
    """Show the results of one run, named by its id or the beginning of it.

    A run that was killed is shown as far as it came.
    """
    from ensue.cli.layout import ResultLayout, print_report
    from ensue.output.history import report_from_events

    project = session.open()
    report = report_from_events(project.run_events(run_id), project.minion_id)
    print_report(session, report, ResultLayout(state_output=state_output, state_verbose=state_verbose))
    return exit_codes.SUCCEEDED
