"""`ensue plan`: an apply that changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_sls
from ensue.cli.events_option import events_option, writing_events
from ensue.cli.fleet_options import fleet_options
from ensue.cli.options import pillar_options, project_options, result_options
from ensue.cli.part_options import part_options
from ensue.cli.target_option import target_option
from ensue.cli.wait_option import wait_option

if TYPE_CHECKING:
    from ensue.cli.session import Session
    from ensue.core.model.run_part import RunPart

EXAMPLES = (
    ("ensue plan", "what the highstate would change"),
    ("ensue plan web.nginx --out highstate", "every state, in Salt's form"),
    ("ensue plan --detailed-exitcode", "2 if anything would change"),
    ("ensue plan web --pillar port=8080", "with another pillar value"),
    ("ensue plan --tgt 'T@ssh_host:web-*'", "what the highstate of each of these resources would change"),
    ("ensue plan --only site-config", "what one state, and what it requires, would change"),
    ("ensue plan --out json", "the plan as one JSON document; result null: it would change"),
)


@click.command("plan", cls=ProjectCommand, names_minion=True, examples=EXAMPLES)
@click.argument("sls", nargs=-1, shell_complete=complete_sls)
@target_option
@part_options
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many functions run at once. Default: 10 per processor; no limit on ssh_host.",
)
@click.option(
    "--detailed-exitcode",
    is_flag=True,
    help="Exit code 0: nothing would change; 1: an error; 2: something would change.",
)
@wait_option
@fleet_options
@events_option
@result_options
@pillar_options
@project_options("short", "highstate", "json", "yaml", "quiet")
def command(
    session: Session,
    *,
    sls: tuple[str, ...],
    tgt: str | None,
    part: RunPart,
    concurrency: int | None,
    detailed_exitcode: bool,
    wait: bool | float,
    batch: str | None,
    fail_limit: str | None,
    timeout: float | None,
    events: str | None,
    state_output: str | None,
    state_verbose: bool | None,
) -> int:
    """Show what an apply would change; change nothing.

    One line per change: + creates, ~ changes, - removes, ! would fail, ? known only after apply. States that
    would change nothing are counted. --out highstate shows every state in Salt's form, and so does
    --state-output; a result of None there means that the state would change something.

    Exit code: 0 success; 1 refused; 2 a state would fail, or nothing matched; 130 interrupted. With
    --detailed-exitcode: 0 nothing would change; 1 refused, or a state would fail; 2 something would change.
    """
    from ensue.app.project import RunOptions
    from ensue.cli.apply import run_states
    from ensue.cli.fleet_runs import FleetLimits, run_on_fleet
    from ensue.cli.layout import ResultLayout
    from ensue.cli.salt_arguments import asked_for

    asked = asked_for(session, sls)
    if asked.test is False:
        raise click.UsageError("A plan changes nothing: use `ensue apply` instead of test=False.")
    options = RunOptions(
        test=True,
        concurrency=concurrency,
        batch=batch,
        fail_limit=fail_limit,
        wait_for_lock=wait,
        tgt=tgt,
        part=part,
    )
    limits = FleetLimits(batch=batch, fail_limit=fail_limit, timeout=timeout)
    unsupported = {"--state-output": state_output, "--state-verbose": state_verbose, **dict(part.words)}
    with writing_events(session, events):
        code = run_on_fleet(
            session, asked.mods, options, limits, unsupported=unsupported, detailed_exitcode=detailed_exitcode
        )
        if code is not None:
            return code
        layout = ResultLayout(state_output=state_output, state_verbose=state_verbose)
        return run_states(session, asked.mods, options, layout, detailed_exitcode=detailed_exitcode)
