"""`ensue apply`: run SLS, or the highstate."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_sls
from ensue.cli.events_option import events_option, writing_events
from ensue.cli.fleet_options import fleet_options
from ensue.cli.options import follow_option, pillar_options, project_options, result_options
from ensue.cli.part_options import part_options
from ensue.cli.target_option import target_option
from ensue.cli.wait_option import wait_option

if TYPE_CHECKING:
    from ensue.app.project import AppProject, RunOptions
    from ensue.cli.layout import ResultLayout
    from ensue.cli.session import Session
    from ensue.core.model.report import RunReport
    from ensue.core.model.run_part import RunPart

_MOST_NOT_RUN = 50

EXAMPLES = (
    ("ensue apply", "the highstate: every SLS that states/top.sls assigns to this machine"),
    ("ensue apply web.nginx web.site", "two SLS: states/web/nginx.sls and states/web/site.sls"),
    ("ensue apply hello.sls --test", "one file, as a plan"),
    ("ensue apply --tgt 'T@ssh_host:web-*'", "the highstate of every resource that the target matches"),
    ("ensue apply --tgt 'G@os:Debian and not db-*' base.ssh", "one SLS on each of them"),
    (
        "ensue apply --tgt 'T@ssh_host:web-*' --batch 25% --fail-limit 1",
        "a quarter of the hosts at a time; no further host begins when two have failed",
    ),
    (
        "ensue apply web --pillar port=8080 --pillar db:host=10.0.0.5",
        "with pillar that overrides the project's",
    ),
    ("ensue apply --out json --id web-01 > results.json", "results as one JSON document"),
    ("ensue apply --only web.nginx", "of the highstate, one SLS and what it requires"),
    (
        "ensue apply --only tag:deploy --exclude tag:slow",
        "the states that are tagged so, without the slow ones",
    ),
    ("ensue apply web --start-at site-config", "from this state on, after a failure"),
    ("ensue apply web --follow", "with the output of commands while they run"),
    ("ensue apply --out short > run.log", "only what changes or fails, as on a terminal"),
    ("ensue apply --state-output changes", "one line for each state that changed nothing"),
)


@click.command("apply", cls=ProjectCommand, names_minion=True, examples=EXAMPLES)
@click.argument("sls", nargs=-1, shell_complete=complete_sls)
@target_option
@part_options
@click.option("--test", is_flag=True, help="Change nothing; say what would change.")
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many functions run at once. Default: 10 per processor; no limit on ssh_host.",
)
@click.option("--failhard/--no-failhard", default=None, help="Whether to stop at the first state that fails.")
@follow_option
@wait_option
@fleet_options
@events_option
@result_options
@pillar_options
@project_options("highstate", "short", "json", "yaml", "quiet")
def command(
    session: Session,
    *,
    sls: tuple[str, ...],
    tgt: str | None,
    part: RunPart,
    test: bool,
    concurrency: int | None,
    failhard: bool | None,
    follow: bool,
    wait: bool | float,
    batch: str | None,
    fail_limit: str | None,
    timeout: float | None,
    events: str | None,
    state_output: str | None,
    state_verbose: bool | None,
) -> int:
    """Bring machines to the state that SLS files describe.

    SLS are named as in Salt (web.nginx is states/web/nginx.sls or states/web/nginx/init.sls), or by a
    path that ends in .sls. Without a name, the highstate runs: what states/top.sls assigns.

    With --tgt, the SLS are compiled for each resource that the target matches, with its own grains and
    pillar, and run on it. Without a name, each resource runs its highstate. '*' includes this machine.
    In a project with the option fleet, --tgt matches minions of Salt's master, and ensue runs on them.

    With --only, --exclude and --start-at, a part of this runs. WHAT is an ID or a name, an SLS, or tag:NAME;
    id: or sls: before it says which, if it could be both.

    A terminal gets a line per change, and failures in full, as --out short prints them anywhere; a file or
    pipe gets every state in Salt's form, --out highstate.

    Exit code: 0 success; 1 refused, nothing was run; 2 a state failed, or nothing matched; 130 interrupted.
    Ctrl-C waits for what is running and reports what was not run; a second Ctrl-C ends it at once.
    """
    from ensue.app.project import RunOptions
    from ensue.cli.fleet_runs import FleetLimits, run_on_fleet
    from ensue.cli.layout import ResultLayout
    from ensue.cli.salt_arguments import asked_for

    asked = asked_for(session, sls)
    test = test or asked.test is True
    options = RunOptions(
        test=test,
        concurrency=concurrency,
        failhard=failhard,
        batch=batch,
        fail_limit=fail_limit,
        wait_for_lock=wait,
        tgt=tgt,
        part=part,
        environments=session.options.overrides,
    )
    limits = FleetLimits(batch=batch, fail_limit=fail_limit, timeout=timeout)
    unsupported = {
        "--follow": follow,
        "--state-output": state_output,
        "--state-verbose": state_verbose,
        **dict(part.words),
    }
    with writing_events(session, events):
        code = run_on_fleet(session, asked.mods, options, limits, unsupported=unsupported)
        if code is not None:
            return code
        layout = ResultLayout(state_output=state_output, state_verbose=state_verbose)
        return run_states(session, asked.mods, options, layout, follow=follow)


def run_states(
    session: Session,
    mods: tuple[str, ...],
    options: RunOptions,
    layout: ResultLayout,
    *,
    follow: bool = False,
    detailed_exitcode: bool = False,
) -> int:
    """Run SLS with progress on stderr, print the results on stdout, and return the exit code.

    Args:
        session: the command.
        mods: SLS names; none: the highstate.
        options: how the states run.
        layout: how the results are printed.
        follow: whether what commands write is printed on stderr while they run.
        detailed_exitcode: whether the exit code of a plan says whether anything would change.
    """
    from ensue.cli.layout import print_report
    from ensue.cli.run_progress import progress_of

    async def work(project: AppProject) -> RunReport:
        with closing(progress_of(session, results_have_failures=not session.is_for_programs)) as progress:
            return await project.apply(
                mods,
                _following(session, options) if follow else options,
                on_event=progress.__call__,
                on_warning=lambda diagnostic: session.print_diagnostics([diagnostic]),
            )

    report = session.run(work)
    print_report(session, report, layout)
    if report.not_run and session.out not in {"highstate", "short"}:
        _print_not_run(session, report)
    if report.warnings:
        session.print_diagnostics(report.warnings)
    if report.status == "interrupted":
        return exit_codes.INTERRUPTED
    return _detailed(report) if detailed_exitcode else report.exit_code


def _following(session: Session, options: RunOptions) -> RunOptions:
    import msgspec

    from ensue.output.followed_lines import FollowedLines

    follow = FollowedLines(session.lines, session.masker, session.stderr_palette)
    return msgspec.structs.replace(options, follow=follow)


def _print_not_run(session: Session, report: RunReport) -> None:
    """Name on stderr the states that were not run, because the form of the results cannot show them."""
    from ensue.output.colours import on_one_line

    for what, names in (("not run", report.not_run), ("owed to the next apply", report.owed_not_run)):
        if names:
            shown = on_one_line(", ".join(map(session.masker.name, names[:_MOST_NOT_RUN])))
            more = f" and {len(names) - _MOST_NOT_RUN} more" if len(names) > _MOST_NOT_RUN else ""
            session.lines.write(f"ensue: {what}: {shown}{more}")


def _detailed(report: RunReport) -> int:
    """Return the exit code for `--detailed-exitcode`, as `terraform plan` defines it."""
    from ensue.output.outcome import outcome_of

    if report.exit_code:
        return exit_codes.REFUSED
    outcome = outcome_of(report)
    applies = outcome.joining.joining or outcome.joining.known
    return exit_codes.CHANGES if outcome.changed or outcome.unknown or applies else exit_codes.SUCCEEDED
