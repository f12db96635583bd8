"""`ensue call`: remote execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_target
from ensue.cli.complete_functions import complete_execution_function
from ensue.cli.fleet_options import LONGEST_S, refuse_nan
from ensue.cli.options import pillar_options, project_options

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.language.targets.calls import CallOutcome

EXAMPLES = (
    ("ensue call '*' test.ping", "ask every target"),
    ("ensue call 'T@ssh_host:web-*' cmd.run uptime", "a command on every ssh_host whose id begins with web-"),
    ("ensue call web-01 cmd.run 'ls -l' cwd=/tmp", "name=value is a keyword argument"),
    ("ensue call web-01 --timeout 10 --out json grains.items", "one JSON document: {target id: value}"),
    ("ensue call '*' --batch 25% cmd.run 'systemctl reload nginx'", "a quarter of the targets at a time"),
)


def _required(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse a command line without a function; its only word may be one."""
    if value is not None or ctx.resilient_parsing:
        return value
    target = str(ctx.params.get("target", ""))
    message = f"The target comes first: `ensue call '*' {target}`" if "." in target else None
    raise click.MissingParameter(message, ctx, param)


@click.command("call", cls=ProjectCommand, examples=EXAMPLES)
@click.argument("target", metavar="TGT", shell_complete=complete_target)
@click.argument(
    "function", metavar="FUN", required=False, callback=_required, shell_complete=complete_execution_function
)
@click.argument("arguments", metavar="[ARG]...", nargs=-1)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=LONGEST_S),
    callback=refuse_nan,
    metavar="SECONDS",
    help="How long a target may take to answer, including connecting and gathering its grains.",
)
@click.option("--batch", metavar="N|N%", help="How many targets are asked at the same time.")
@pillar_options
@project_options("nested", "json", "yaml", "quiet")
def command(
    session: Session,
    *,
    target: str,
    function: str,
    arguments: tuple[str, ...],
    timeout: float | None,
    batch: str | None,
) -> int:
    """Call an execution function on one or more targets.

    TGT is an id, a glob, or a compound expression: T@type:id-glob a resource, M@minion everything it
    manages, G@grain:value, I@pillar:value, E@regex, L@a,b; joined by and, or, not, parentheses.
    ARG is read as a number, boolean, [list] or {mapping} if it looks like one, and as text otherwise.
    Put -- before arguments that begin with a dash.

    Exit code: 0 success; 1 refused, nothing was run; 2 a target or the command that it ran failed,
    or no target matched.
    """
    from ensue.cli.fleet_runs import FleetLimits, call_on_fleet
    from ensue.cli.interrupts import InterruptedRunError
    from ensue.cli.values import call_arguments
    from ensue.output.colours import on_one_line

    positional, keywords = call_arguments(arguments)
    limits = FleetLimits(batch=batch, timeout=timeout)
    if (
        code := call_on_fleet(session, target, function, args=positional, kwargs=keywords, limits=limits)
    ) is not None:
        return code
    outcomes: list[CallOutcome] = []
    warnings: tuple[Diagnostic, ...] = ()
    near = ""

    async def work(project: AppProject) -> None:
        nonlocal near, warnings
        async for outcome in project.call(
            target, function, positional, keywords, timeout_s=timeout, batch=batch
        ):
            outcomes.append(outcome)
            _print_outcome(session, outcome)
        if not outcomes:
            near = await project.near_target(target)
        warnings = project.warnings()

    try:
        session.run(work)
    except InterruptedRunError:
        session.lines.write("ensue: interrupted; some targets did not answer")
        _print_all(session, outcomes)
        return exit_codes.INTERRUPTED
    _print_all(session, outcomes)
    session.print_diagnostics(warnings)
    if not outcomes:
        session.lines.write(on_one_line(f"ensue: no target matched {target!r} ({near})"))
        return exit_codes.FAILED
    return exit_codes.SUCCEEDED if all(outcome.succeeded for outcome in outcomes) else exit_codes.FAILED


def _print_outcome(session: Session, outcome: CallOutcome) -> None:
    """Print the answer of one target as soon as it arrives."""
    if outcome.exit_code and session.out != "quiet":
        session.lines.write(
            f"ensue: {outcome.target.id}: the command ended with exit code {outcome.exit_code}"
        )
    if session.out != "nested":
        return
    from ensue.output.colours import on_one_line, without_escapes
    from ensue.output.nested import nested_lines

    palette = session.stdout_palette
    colour = palette.cyan if outcome.succeeded else palette.red
    lines = [palette.paint(colour, f"{on_one_line(outcome.target.id)}:")]
    if outcome.ok:
        lines += nested_lines(_value(session, outcome), palette, indent=4)
    else:
        message = without_escapes(str(_value(session, outcome)))
        lines += [palette.paint(palette.red, f"    {line}") for line in message.splitlines()]
    session.print_text(["\n".join(lines) + "\n"])


def _print_all(session: Session, outcomes: list[CallOutcome]) -> None:
    if session.is_for_programs:
        ordered = sorted(outcomes, key=lambda outcome: outcome.target)
        session.print_document({outcome.target.id: _value(session, outcome) for outcome in ordered})


def _value(session: Session, outcome: CallOutcome) -> Any:
    from ensue.output.presentable import presentable

    return presentable(outcome.value, session.masker)
