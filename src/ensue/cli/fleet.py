"""`ensue fleet`: ship ensue to minions, and list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ensue.cli.command import ProjectCommand
from ensue.cli.fleet_options import batch_option, timeout_option
from ensue.cli.group import ExampleGroup
from ensue.cli.options import project_options

if TYPE_CHECKING:
    from ensue.cli.session import Session

EXAMPLES = (
    ("ensue fleet status", "which minions answer, and what they run"),
    ("ensue fleet sync 'web*'", "ship ensue before it is needed"),
)


@click.group("fleet", cls=ExampleGroup, examples=EXAMPLES)
def command() -> None:
    """Ship ensue to minions of Salt's master, and list them."""


@command.command("sync", cls=ProjectCommand, examples=EXAMPLES[1:])
@click.argument("target", metavar="TGT")
@batch_option
@timeout_option
@project_options("table", "json", "yaml", "quiet")
def sync(session: Session, *, target: str, batch: str | None, timeout: float | None) -> int:
    """Ship ensue to the minions that match. An apply does this itself where it is missing.

    Exit code: 0 success; 1 refused; 2 a minion does not answer or cannot run ensue, or none matched.
    """
    return _asked(session, "sync", target, batch, timeout)


@command.command("status", cls=ProjectCommand, examples=EXAMPLES[:1])
@click.argument("target", metavar="[TGT]", default="*")
@batch_option
@timeout_option
@project_options("table", "json", "yaml", "quiet")
def status(session: Session, *, target: str, batch: str | None, timeout: float | None) -> int:
    """List the minions that match: their Salt, their Python, and whether they have this ensue.

    Exit code: 0 success; 1 refused; 2 a minion does not answer, or none matched.
    """
    return _asked(session, "status", target, batch, timeout)


def _asked(session: Session, verb: str, target: str, batch: str | None, timeout: float | None) -> int:
    from ensue.cli.fleet_runs import carried_out
    from ensue.core.contracts.deadlines import FLEET_SILENCE_S
    from ensue.core.model.fleet import FleetOrder
    from ensue.output.fleet import status_data, status_rows

    if not session.open().fleet:
        raise click.UsageError("This project has no fleet: ensue.yaml on a Salt master says `fleet: salt`.")
    order = FleetOrder(verb=verb, tgt=target, batch=batch, timeout_s=timeout or FLEET_SILENCE_S)
    report = carried_out(session, order)
    if session.is_for_programs:
        session.print_document(status_data(report, session.masker))
    elif session.out != "quiet":
        session.print_table(("minion", "salt", "python", "ensue"), status_rows(report, session.masker))
    return report.exit_code
