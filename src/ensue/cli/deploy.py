"""`ensue deploy`: provision the resources of Score files and deployment sets."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.deploy_exit import exit_code_of
from ensue.cli.deployment import (
    DeploymentWords,
    deployment_options,
    given_images,
    given_values,
    image_option,
    value_option,
)
from ensue.cli.deployment_set import SetWords, set_options
from ensue.cli.destruction import may_destroy, refuse_beside_destroy
from ensue.cli.drawing import FORMS, drawing_lines_of, drawn_resources, too_many
from ensue.cli.environment_options import environment_options
from ensue.cli.expiry import ttl_option
from ensue.cli.optional_value import OptionalValue
from ensue.cli.options import project_options
from ensue.cli.wait_option import wait_option
from ensue.cli.word_choice import WordChoice
from ensue.core.contracts.deployment import ANY_RESOURCE

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.deploy.environments.deployment_report import DeploymentReport

EXAMPLES = (
    (
        "ensue deploy score.yaml --app shop --env dev --env-type development",
        "provision what one workload needs",
    ),
    (
        "ensue deploy web.yaml worker.yaml --app shop --env dev --env-type development",
        "two workloads together",
    ),
    (
        "ensue deploy api.yaml --app shop --env dev --env-type development --merge",
        "one workload, the others stay as they are",
    ),
    ("ensue deploy --app shop --env dev --drop-workload api --prune", "remove one workload"),
    ("ensue deploy --app shop --env dev --from 12", "roll back to an earlier deployment"),
    (
        "ensue deploy --app shop --env staging --from last --to-env prod",
        "promote what is in one environment to another one",
    ),
    ("ensue deploy score.yaml --app shop --env dev --env-type development --plan", "what it would do"),
    ("ensue deploy score.yaml --app shop --env dev --env-type development --prune", "remove orphans as well"),
    (
        "ensue deploy web.yaml --app shop --env p --env-type prod --allow-replace=postgres.default#shared.db",
        "let another driver make the database anew",
    ),
    (
        "ensue deploy score.yaml --app shop --env pr-7 --env-type development --ttl 3d",
        "an environment that `ensue deployments expire` removes after three days",
    ),
    ("ensue deploy --app shop --env dev --destroy", "remove everything of the environment"),
    (
        "ensue deploy score.yaml --app shop --env dev --env-type development --adopt",
        "take over what another store has deployed",
    ),
    (
        "ensue deploy score.yaml --app shop --env dev --env-type development --plan --refresh",
        "what has changed outside of ensue",
    ),
    (
        "ensue deploy web.yaml --app shop --env p --env-type prod --rotate postgres.default#shared.db",
        "give a database a new password",
    ),
    (
        "ensue deploy web.yaml --app shop --env dev --replace vm.default#shared.build",
        "destroy a machine that is broken, and make it anew",
    ),
    (
        "ensue deploy --app shop --env dev --forget postgres.default#shared.db",
        "drop the record of a server that no longer exists",
    ),
    (
        "ensue deploy score.yaml --app shop --env dev --env-type development --out svg > shop.svg",
        "as a picture",
    ),
    ("ensue deploy set.json --app shop --env dev --env-type development --out json", "one JSON document"),
)


@click.command("deploy", cls=ProjectCommand, examples=EXAMPLES)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@deployment_options
@image_option
@value_option
@click.option(
    "--render",
    type=WordChoice(["kubernetes", "compose", "values"]),
    help="Render the workloads as files of this kind to the folder that --to names.",
)
@click.option(
    "--to", "render_to", metavar="DIR", type=click.Path(path_type=Path), help="The folder for --render."
)
@set_options
@ttl_option
@click.option("--plan", "test", is_flag=True, help="Change nothing; say what would be done.")
@click.option(
    "--detailed-exitcode",
    is_flag=True,
    help="With --plan, exit code 0: nothing would be done; 1: an error; 2: something would.",
)
@click.option(
    "--prune", is_flag=True, help="Remove resources that earlier deployments provisioned and this one lacks."
)
@click.option(
    "--destroy",
    is_flag=True,
    help="Remove all resources of the environment, in reverse order. A terminal is asked first.",
)
@click.option("--yes", is_flag=True, help="With --destroy, do not ask on a terminal.")
@click.option(
    "--allow-replace",
    cls=OptionalValue,
    without=ANY_RESOURCE,
    metavar="[=RESOURCE]",
    multiple=True,
    help="Allow that another driver makes all resources, or TYPE.CLASS#ID, anew; what the earlier one made "
    "is destroyed. May be given several times. A terminal is asked otherwise.",
)
@click.option(
    "--only",
    metavar="RESOURCE",
    multiple=True,
    help="Provision only TYPE.CLASS#ID and what it depends on. May be given several times.",
)
@click.option(
    "--replace",
    metavar="RESOURCE",
    multiple=True,
    help="Destroy TYPE.CLASS#ID, and let the same driver make it anew. May be given several times.",
)
@click.option(
    "--unprotect",
    cls=OptionalValue,
    without=ANY_RESOURCE,
    metavar="[=RESOURCE]",
    multiple=True,
    help="Destroy all resources, or TYPE.CLASS#ID, although their definition says `protect: true`.",
)
@environment_options
@click.option(
    "--adopt",
    cls=OptionalValue,
    without=ANY_RESOURCE,
    metavar="[=RESOURCE]",
    multiple=True,
    help="Take over what another store has deployed: all resources, or TYPE.CLASS#ID. May be given several "
    "times.",
)
@click.option(
    "--refresh",
    is_flag=True,
    help="Have drivers look at what they have made although the inputs are the same, and mend what differs.",
)
@click.option(
    "--rotate",
    metavar="RESOURCE",
    multiple=True,
    help="Give TYPE.CLASS#ID a new password, and everything that depends on it. May be given several times.",
)
@click.option(
    "--forget",
    metavar="RESOURCE",
    multiple=True,
    help="Drop the record of TYPE.CLASS#ID of the environment; do not remove it. May be given several times.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many resources are provisioned at once. Default: 10 per processor.",
)
@click.option(
    "--failhard/--no-failhard", default=None, help="Whether to stop at the first resource that fails."
)
@wait_option
@project_options("text", "json", "yaml", "quiet", *FORMS)
def command(
    session: Session,
    *,
    files: tuple[Path, ...],
    values: tuple[str, ...],
    images: tuple[str, ...],
    render: str | None,
    render_to: Path | None,
    ttl: float | None,
    test: bool,
    detailed_exitcode: bool,
    prune: bool,
    destroy: bool,
    yes: bool,
    allow_replace: tuple[str, ...],
    only: tuple[str, ...],
    replace: tuple[str, ...],
    unprotect: tuple[str, ...],
    change_env_type: bool,
    new_env: bool,
    adopt: tuple[str, ...],
    refresh: bool,
    rotate: tuple[str, ...],
    forget: tuple[str, ...],
    concurrency: int | None,
    failhard: bool | None,
    wait: bool | float,
    **deployment: Any,
) -> int:
    """Provision what Score files and deployment sets need.

    Definitions say which driver provisions each resource, and from which inputs. Resources are provisioned
    in the order of their dependencies, independent ones at the same time. A resource that exists already
    and has the same inputs is left alone. Give the command again to continue an interrupted deployment.

    Exit code: 0 success; 1 the input has errors, nothing was provisioned, or --plan: the deployment would be
    refused; 2 a resource failed; 130 interrupted. With --plan --detailed-exitcode: 0 nothing would be done;
    1 an error; 2 something would be done.
    """
    from ensue.app.project import RunOptions
    from ensue.cli.run_progress import progress_of
    from ensue.core.errors import ReplacementError
    from ensue.output.colours import is_terminal

    sets = SetWords(*(deployment.pop(field) for field in SetWords._fields))
    if forget:
        others = files or sets.names_a_set or prune or destroy or adopt or rotate or replace
        return _forget(session, forget, DeploymentWords(**deployment), is_alone=not others)
    if destroy:
        refuse_beside_destroy(
            {
                "files": files,
                "--prune": prune,
                "--ttl": ttl is not None,
                "--adopt": adopt,
                "--refresh": refresh,
                "--replace": replace,
                "--only": only,
                "--rotate": rotate,
            }
        )
    _refuse_if(only and (prune or render), "--only leaves a part out: it takes no --prune and no --render")
    _refuse_if(yes and not destroy, "--yes goes with --destroy; a replacement is allowed by --allow-replace")
    _refuse_if(detailed_exitcode and not test, "--detailed-exitcode goes with --plan")
    _refuse_if(bool(render) != bool(render_to), "--render and --to go together")
    order = msgspec.structs.replace(
        _order(files, DeploymentWords(**deployment), sets, destroy=destroy),
        values=given_values(values),
        images=given_images(images),
        ttl_s=ttl,
        prune=prune,
        allow_replace=allow_replace,
        only=only,
        replace=replace,
        unprotect=unprotect,
        change_env_type=change_env_type,
        new_env=new_env,
        adopt=adopt,
        refresh=refresh,
        rotate=rotate,
        render=render or "",
        render_to=render_to,
    )
    options = RunOptions(test=test, concurrency=concurrency, failhard=failhard, wait_for_lock=wait)

    async def work(project: AppProject, *, options: RunOptions = options) -> DeploymentReport:
        with closing(progress_of(session, results_have_failures=not session.is_for_programs)) as progress:
            return await project.deploy(
                order,
                options,
                on_event=progress.__call__,
                on_warning=lambda diagnostic: session.print_diagnostics([diagnostic]),
            )

    can_ask = is_terminal(sys.stdin) and is_terminal(sys.stderr)
    if destroy and can_ask and not (test or yes):
        plan = session.run(partial(work, options=msgspec.structs.replace(options, test=True)))
        if not may_destroy(session, plan):
            return exit_codes.REFUSED
    try:
        report = session.run(work)
    except ReplacementError as refused:
        if not can_ask:
            raise
        session.print_diagnostics(refused.diagnostics)
        if not click.confirm("Replace them?", err=True):
            return exit_codes.REFUSED
        order = msgspec.structs.replace(order, allow_replace=(*order.allow_replace, *refused.resources))
        report = session.run(work)
    session.print_diagnostics(report.refusals)
    if report.replaceable and can_ask and click.confirm("Replace them?", err=True):
        also = (*order.allow_replace, *report.replaceable)
        order = msgspec.structs.replace(order, allow_replace=also)
        report = session.run(work)
    session.print_diagnostics(report.run.warnings)
    _print(session, report, test=test)
    return exit_code_of(session, report, is_detailed=detailed_exitcode)


def _refuse_if(is_wrong: object, message: str) -> None:
    if is_wrong:
        raise click.UsageError(message)


def _forget(session: Session, forget: tuple[str, ...], words: DeploymentWords, *, is_alone: bool) -> int:
    """Forget active resources of an environment; their drivers are not called."""
    if not is_alone:
        others = "no files, no --merge, no --prune, no --destroy, no --adopt, no --rotate and no --replace"
        raise click.UsageError(f"--forget takes {others}")
    context = words.context(needs_type=False)

    async def work(project: AppProject) -> None:
        await project.forget_active(context, forget)

    session.run(work)
    if session.is_for_programs:
        session.print_document({"forgotten": list(forget)})
    else:
        session.print_text(f"forgotten: {forgotten}\n" for forgotten in forget)
    return exit_codes.SUCCEEDED


def _order(
    files: tuple[Path, ...], words: DeploymentWords, sets: SetWords, *, destroy: bool
) -> DeploymentOrder:
    """Return the deployment that the command line requests: what, and where.

    Raises:
        click.UsageError: the command line is incomplete, or contradicts itself.
    """
    from ensue.core.contracts.deployment import DeploymentOrder

    if not (destroy or files or sets.names_a_set):
        raise click.UsageError(
            "name a Score file or a deployment set, or use --from (`--from last`) or --destroy"
        )
    # An environment that was deployed has a type; of a new one, the project says that it is missing.
    context = words.context(needs_type=False)
    order = DeploymentOrder(
        app=context.app,
        env=context.env,
        env_type=context.env_type,
        org=context.org,
        files=files,
        definitions=words.definitions,
        destroy=destroy,
    )
    return sets.applied_to(order)


def _print(session: Session, report: DeploymentReport, *, test: bool) -> None:
    from ensue.output.colours import on_one_line
    from ensue.output.resource_graph import deployment_data, deployment_lines

    context, built = report.deployment.context, report.deployment.built
    hash_ = built.graph.hash if built else ""
    if session.is_for_programs:
        session.print_document(deployment_data(context, hash_, report.nodes, session.masker))
    elif session.out in FORMS:
        _draw(session, report)
    elif session.out == "text":
        palette = session.stdout_palette
        lines = deployment_lines(
            context, report.nodes, session.masker, palette, is_plan=test, explained=report.replaceable
        )
        session.print_text(f"{line}\n" for line in lines)
        if report.deployment.order.render:
            session.print_text(f"rendered: {on_one_line(str(path))}\n" for path in report.rendered)


def _draw(session: Session, report: DeploymentReport) -> None:
    """Print the resources and their results as a picture, or report that it would be too large."""
    from ensue.output.drawing.from_resources import provisioned_resources

    resources = list(provisioned_resources(report.nodes))
    top = drawn_resources(report.deployment.context, resources, session.out)
    if top is None:
        session.lines.write(f"ensue: {too_many(resources)}; use text, json, yaml, dot or mermaid")
    else:
        session.print_text(f"{line}\n" for line in drawing_lines_of(session, top))
