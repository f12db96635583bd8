"""`ensue deployments expire`: remove the environments whose time to live has passed."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.deployment import environment_options
from ensue.cli.options import project_options
from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.deploy.environments.deployment_report import DeploymentReport
    from ensue.deploy.provisioning.deployment_records import DeploymentRecord
    from ensue.deploy.provisioning.identity import Context

_FORMS = ("text", "json", "yaml", "quiet")
_NEVER = "none"


class TimeToLive(click.ParamType):  # type: ignore[type-arg] # generic only in newer versions of click
    """A duration in seconds; 0 for `none`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the duration.

        Raises:
            click.BadParameter: it is none.
        """
        from ensue.core.model.durations import FORMS, duration_s

        seconds = 0.0 if value == _NEVER else duration_s(str(value))
        if seconds is None:
            raise click.BadParameter(f"{value!r} is not a duration: {FORMS}; {_NEVER} for no end", ctx, param)
        return seconds


ttl_option: Final = click.option(
    "--ttl",
    metavar="DURATION",
    type=TimeToLive(),
    help="How long the environment lives after a deployment (12h, 3d), until `ensue deployments expire` "
    "removes it. Later deployments renew it; none: it has no end.",
)
"""The option that limits how long an environment lives."""


class Expired(NamedTuple):
    """An environment whose time to live has passed.

    Args:
        context: the environment.
        record: its last deployment.
        report: what was done; None: it was refused.
        refusal: why it was refused; empty: it was not.
    """

    context: Context
    record: DeploymentRecord
    report: DeploymentReport | None
    refusal: str = ""

    @property
    def exit_code(self) -> int:
        """The exit code for this environment alone."""
        if self.report is None:
            return exit_codes.FAILED
        return (
            exit_codes.INTERRUPTED if self.report.run.status == "interrupted" else self.report.run.exit_code
        )


@click.command(
    "expire",
    cls=ProjectCommand,
    examples=(
        ("ensue deployments expire --plan", "which environments would be removed"),
        ("ensue deployments expire --app shop", "remove those of one application"),
    ),
)
@click.option("--plan", "test", is_flag=True, help="Change nothing; say what would be removed.")
@click.option("--wait", is_flag=True, help="Wait for another apply of the project instead of refusing.")
@environment_options
@project_options(*_FORMS)
def expire(
    session: Session, *, test: bool, wait: bool, app: str | None, env: str | None, org: str | None
) -> int:
    """Remove everything of the environments whose time to live, `ensue deploy --ttl`, has passed.

    An environment that is being deployed, or cannot be removed, does not keep the others from being removed;
    the next `expire` tries it again.

    Exit code: 0 success, also if no environment has expired; 2 one could not be removed; 130 interrupted.
    """
    from ensue.app.project import RunOptions
    from ensue.cli.run_progress import progress_of

    options = RunOptions(test=test, wait_for_lock=wait)

    async def work(project: AppProject) -> list[Expired]:
        done: list[Expired] = []
        with closing(progress_of(session)) as progress:
            for context, record in _newest(await project.deployment_records(app, env, org)):
                if record.has_expired(time.time()):
                    done.append(await _removed(project, context, record, options, progress.__call__))
                if done and done[-1].exit_code == exit_codes.INTERRUPTED:
                    break
        return done

    expired = session.run(work)
    if session.is_for_programs:
        session.print_document([_data(session, expiry) for expiry in expired])
    elif session.out != "quiet":
        session.print_text(f"{line}\n" for line in _lines(session, expired))
    return max((expiry.exit_code for expiry in expired), default=exit_codes.SUCCEEDED)


def _newest(known: list[tuple[Context, DeploymentRecord]]) -> list[tuple[Context, DeploymentRecord]]:
    """Return the last deployment of each environment."""
    newest: dict[str, tuple[Context, DeploymentRecord]] = {}
    for context, record in known:
        newest.setdefault(context.environment, (context, record))
    return list(newest.values())


async def _removed(
    project: AppProject,
    context: Context,
    record: DeploymentRecord,
    options: Any,
    on_event: Callable[[Any], None],
) -> Expired:
    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.errors import EnsueError

    order = DeploymentOrder(
        app=context.app, env=context.env, org=context.org, destroy=True, newest=record.number
    )
    try:
        return Expired(context, record, await project.deploy(order, options, on_event=on_event))
    except EnsueError as error:
        return Expired(context, record, None, project.masker.text(str(error)))


def _lines(session: Session, expired: list[Expired]) -> list[str]:
    from ensue.output.deployment_history import moment
    from ensue.output.resource_graph import deployment_lines

    lines: list[str] = []
    for expiry in expired:
        lines.append(f"{expiry.context.environment} expired on {moment(expiry.record.expires_at_s)}")
        if expiry.report is None:
            lines.append(f"   failed  {expiry.refusal}")
        else:
            nodes = expiry.report.nodes
            lines += deployment_lines(expiry.context, nodes, session.masker, session.stdout_palette)
    return [on_one_line(line) for line in lines] or ["no environment has expired"]


def _data(session: Session, expired: Expired) -> dict[str, Any]:
    from ensue.output.deployment_history import moment
    from ensue.output.resource_graph import deployment_data

    nodes = () if expired.report is None else expired.report.nodes
    return {
        **deployment_data(expired.context, "", nodes, session.masker),
        "org": expired.context.org,
        "expired_at": moment(expired.record.expires_at_s),
        "error": expired.refusal,
    }
