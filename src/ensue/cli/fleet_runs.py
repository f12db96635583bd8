"""Runs of `apply`, `plan` and `call` over the minions of Salt's master."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ensue.cli import exit_codes
from ensue.cli.run_progress import fleet_progress_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.app.project import AppProject, RunOptions
    from ensue.cli.session import Session
    from ensue.core.model.fleet import FleetOrder, FleetReport


class FleetLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The options that limit a run over many hosts or minions; None where one was not given.

    Args:
        batch: how many are at work at a time.
        fail_limit: how many may fail before no further one begins.
        timeout: how long one may be silent, in seconds.
    """

    batch: str | None = None
    fail_limit: str | None = None
    timeout: float | None = None


def run_on_fleet(
    session: Session,
    mods: tuple[str, ...],
    options: RunOptions,
    limits: FleetLimits,
    *,
    unsupported: Mapping[str, object],
    detailed_exitcode: bool = False,
) -> int | None:
    """Run SLS on minions and print a summary; None if this run is not one of a fleet.

    Args:
        session: the command.
        mods: the SLS names; none: the highstate.
        options: the options of the run.
        limits: the options that only runs over minions have.
        unsupported: values of options that runs over minions do not have, by option.
        detailed_exitcode: whether a plan with changes exits with 2.

    Raises:
        click.UsageError: an option of fleets was given for another run, or the other way round.
    """
    if options.tgt is None or not session.open().fleet:
        _refuse_limits(limits, options.tgt)
        return None
    refuse_unsupported(unsupported)
    from ensue.output.fleet import would_change

    order = _order(
        "apply",
        options.tgt,
        limits,
        mods=mods,
        test=options.test,
        concurrency=options.concurrency,
        failhard=options.failhard,
        saltenv=session.options.saltenv,
        wait_for_lock=options.wait_for_lock,
    )
    report = carried_out(session, order)
    _print(session, report)
    if detailed_exitcode:
        if report.exit_code:
            return exit_codes.REFUSED
        return exit_codes.CHANGES if would_change(report) else exit_codes.SUCCEEDED
    return report.exit_code


def refuse_unsupported(unsupported: Mapping[str, object]) -> None:
    """Refuse options that runs over minions do not have.

    Args:
        unsupported: their values, by option.

    Raises:
        click.UsageError: one was given.
    """
    if given := [option for option, value in unsupported.items() if value]:
        raise click.UsageError(f"Runs over minions do not have the option {given[0]}.")


def resumed_on_fleet(session: Session, run_id: str, wait: bool | float) -> int:
    """Resume a run over minions, and print its summary.

    Args:
        session: the command.
        run_id: the run.
        wait: whether to wait for the lock of the project, or how long.
    """

    async def work(project: AppProject) -> FleetReport:
        with closing(fleet_progress_of(session)) as progress:
            return await project.resume_on_fleet(run_id, wait, progress)

    report = session.run(work)
    session.print_diagnostics(report.warnings)
    _print(session, report)
    return report.exit_code


def _print(session: Session, report: FleetReport) -> None:
    from ensue.output.fleet import fleet_data, fleet_text

    if session.is_for_programs:
        session.print_document(fleet_data(report, session.masker))
    elif session.out != "quiet" and (report.minions or report.not_asked):
        session.print_text([fleet_text(report, session.masker, session.stdout_palette)])


def _refuse_limits(limits: FleetLimits, tgt: str | None) -> None:
    """Refuse limits that mean nothing in a run without minions.

    Raises:
        click.UsageError: there is such a limit.
    """
    if limits.timeout is not None:
        message = "--timeout is for runs over minions: it needs --tgt, and the option fleet in ensue.yaml."
        raise click.UsageError(message)
    if tgt is None and limits != FleetLimits():
        raise click.UsageError("--batch and --fail-limit are for runs over many hosts: they need --tgt.")
    if limits.batch is None and limits.fail_limit is not None:
        raise click.UsageError("--fail-limit needs --batch: without it, all hosts begin at once.")


def call_on_fleet(
    session: Session,
    target: str,
    function: str,
    *,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    limits: FleetLimits,
) -> int | None:
    """Call a function on minions and print their answers; None if the project has no fleet."""
    if not session.open().fleet:
        return None
    from ensue.output.colours import is_terminal
    from ensue.output.fleet import answer_data, answers_text
    from ensue.output.minion_lines import MOST_ANSWER_CHARS

    order = _order("call", target, limits, function=function, args=tuple(args), kwargs=dict(kwargs))
    report = carried_out(session, order)
    if session.is_for_programs:
        session.print_document(answer_data(report, session.masker))
    elif session.out != "quiet":
        # What is redirected is for a program, or for a file.
        most_chars = MOST_ANSWER_CHARS if is_terminal(sys.stdout) else None
        text = answers_text(report, session.masker, session.stdout_palette, most_chars=most_chars)
        session.print_text([text])
    return report.exit_code


def carried_out(session: Session, order: FleetOrder) -> FleetReport:
    """Carry out an order; a minion that fails is reported on stderr when it does."""

    async def work(project: AppProject) -> FleetReport:
        with closing(fleet_progress_of(session)) as progress:
            return await project.on_fleet(order, progress)

    report = session.run(work)
    session.print_diagnostics(report.warnings)
    return report


def _order(verb: str, target: str, limits: FleetLimits, **fields: Any) -> FleetOrder:
    from ensue.core.contracts.deadlines import FLEET_SILENCE_S
    from ensue.core.model.fleet import FleetOrder

    return FleetOrder(
        verb=verb,
        tgt=target,
        batch=limits.batch,
        fail_limit=limits.fail_limit,
        timeout_s=limits.timeout or FLEET_SILENCE_S,
        **fields,
    )
