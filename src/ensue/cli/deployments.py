"""`ensue deployments`: the history of environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_deployment
from ensue.cli.deployment import LAST, DeploymentNumber, DeploymentWords, environment_options
from ensue.cli.expiry import expire
from ensue.cli.group import ExampleGroup
from ensue.cli.options import global_options, project_options
from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.deploy.provisioning.deployment_records import DeploymentRecord, KeptDeployment
    from ensue.deploy.provisioning.identity import Context

FORMS = ("text", "json", "yaml", "quiet")


@click.group(
    "deployments",
    cls=ExampleGroup,
    examples=(
        ("ensue deployments list --app shop", "when, who, what, how it ended"),
        ("ensue deployments show last --app shop --env dev", "what the environment consists of"),
        ("ensue deployments diff 11 12 --app shop --env dev", "what the second one changed"),
        ("ensue deployments expire --plan", "which environments have lived long enough"),
    ),
)
@global_options
def command() -> None:
    """List and compare deployments, remove environments that have expired."""


command.add_command(expire)


@command.command(
    "list",
    cls=ProjectCommand,
    examples=(
        ("ensue deployments list", "of all environments, the newest of each first"),
        ("ensue deployments list --app shop --env dev --limit 5", "the last five of one environment"),
        ("ensue deployments list --out json", "one JSON document"),
    ),
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Show only the newest N of each environment."
)
@environment_options
@project_options(*FORMS)
def list_(session: Session, *, limit: int | None, app: str | None, env: str | None, org: str | None) -> int:
    """List deployments, the newest of each environment first.

    The last 50 deployments of each environment are kept.
    """
    from ensue.output.deployment_history import HEADINGS, record_data, record_row

    others: list[tuple[Context, DeploymentRecord]] = []

    async def work(project: AppProject) -> list[tuple[Context, DeploymentRecord]]:
        records = await project.deployment_records(app, env, org)
        if not records and (app or env):
            others.extend(await project.deployment_records(None, None, org))
        return records

    known = _newest(session.run(work), limit)
    if session.is_for_programs:
        session.print_document([record_data(*record, session.masker) for record in known])
    elif session.out != "quiet":
        session.print_table(HEADINGS, [record_row(*record) for record in known])
    if others:
        _say_what_there_is(session, app, env, {f"{context.app}/{context.env}" for context, _ in others})
    return exit_codes.SUCCEEDED


def _say_what_there_is(session: Session, app: str | None, env: str | None, known: set[str]) -> None:
    """Say on stderr that no deployment is of an environment, and which environments have some."""
    from ensue.core.model.near_names import near_question

    name = f"{app or '*'}/{env or '*'}"
    near = near_question(name, known) or f"there are {', '.join(sorted(known))}"
    session.lines.write(on_one_line(f"ensue: the store has no deployment of {name} ({near})"))


def _newest(
    known: list[tuple[Context, DeploymentRecord]], limit: int | None
) -> list[tuple[Context, DeploymentRecord]]:
    """Return the first deployments of each environment."""
    counts: dict[str, int] = {}
    kept: list[tuple[Context, DeploymentRecord]] = []
    for context, record in known:
        counts[context.environment] = counts.get(context.environment, 0) + 1
        if limit is None or counts[context.environment] <= limit:
            kept.append((context, record))
    return kept


@command.command(
    "diff",
    cls=ProjectCommand,
    examples=(
        ("ensue deployments diff 11 12 --app shop --env dev", "what the second one changed"),
        ("ensue deployments diff 11 --app shop --env dev", "what has changed since"),
        ("ensue deployments diff 11 12 --app shop --env dev --out json", "as a deployment delta"),
        ("ensue deploy --app shop --env dev --from last --to-env prod --plan", "what prod lacks of dev"),
    ),
)
@click.argument("before", metavar="FROM", type=DeploymentNumber(), shell_complete=complete_deployment)
@click.argument(
    "after", metavar="[TO]", type=DeploymentNumber(), default=LAST, shell_complete=complete_deployment
)
@environment_options
@project_options(*FORMS)
def diff(session: Session, *, before: int, after: int, **words: Any) -> int:
    """Show what differs between two deployments of an environment; without TO, the second is the last one.

    Workloads and shared resources are compared as they were written, and definitions by their content. As
    JSON or YAML, it is a deployment delta: modules that are added, removed and updated, with operations of
    JSON Patch. Two environments are compared by the plan of a promotion.
    """
    from ensue.deploy.environments.set_contents import contents_of
    from ensue.output.deployment_history import Compared, comparison_data, comparison_lines

    context = DeploymentWords(**words, env_type=None).context(needs_type=False)

    async def work(project: AppProject) -> list[KeptDeployment]:
        return [await project.kept_deployment(context, number) for number in (before, after)]

    kept = session.run(work)
    masker = session.masker
    first, second = (Compared(deployment.record, contents_of(deployment.set, masker)) for deployment in kept)
    if session.is_for_programs:
        session.print_document(comparison_data(context, first, second, masker))
    elif session.out != "quiet":
        lines = comparison_lines(context, first, second, masker, session.stdout_palette)
        session.print_text(f"{line}\n" for line in map(on_one_line, lines))
    return exit_codes.SUCCEEDED


@command.command(
    "show",
    cls=ProjectCommand,
    examples=(
        ("ensue deployments show 12 --app shop --env dev", "what was deployed, from which files"),
        ("ensue deployments show last --app shop --env dev --out json", "with all workloads as written"),
    ),
)
@click.argument("number", type=DeploymentNumber(), shell_complete=complete_deployment)
@environment_options
@project_options(*FORMS)
def show(session: Session, *, number: int, **words: Any) -> int:
    """Show one deployment of an environment: the last one, or the one with this NUMBER.

    As JSON or YAML, it includes the deployment set: each workload as its author wrote it. Values that are
    secrets, or whose keys are those of secrets, are masked.
    """
    from ensue.deploy.environments.set_contents import contents_of
    from ensue.output.deployment_history import document_lines, record_data, record_lines
    from ensue.output.presentable import presentable

    context = DeploymentWords(**words, env_type=None).context(needs_type=False)

    async def work(project: AppProject) -> KeptDeployment:
        return await project.kept_deployment(context, number)

    record, set_ = session.run(work)
    if session.is_for_programs:
        contents = contents_of(set_, session.masker)
        shown = {"modules": contents.workloads, "shared": contents.shared, "values": contents.values}
        document = record_data(context, record, session.masker)
        session.print_document({**document, "set": presentable(shown, session.masker)})
    elif session.out != "quiet":
        lines = (*record_lines(context, record), *document_lines(set_.documents))
        session.print_text(f"{line}\n" for line in map(on_one_line, lines))
    return exit_codes.SUCCEEDED
