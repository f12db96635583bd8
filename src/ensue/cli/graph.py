"""`ensue graph`: draw the graph of a run or of a deployment, before or after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_run, complete_sls
from ensue.cli.deployment import (
    DeploymentWords,
    deployment_files,
    deployment_options,
    given_images,
    given_values,
    image_option,
    value_option,
)
from ensue.cli.drawing import drawing_lines_of, drawn_resources, too_many
from ensue.cli.options import pillar_options, project_options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.deploy.environments.deployment_reader import PlannedGraph
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.output.drawing.drawing import ScopeBox

EXAMPLES = (
    ("ensue graph web.nginx", "the states of an SLS and what they run after, as a tree"),
    ("ensue graph --out svg > run.svg", "the highstate as a picture"),
    ("ensue graph --run 20260101-1200 --out svg > run.svg", "what an earlier run grew into"),
    ("ensue graph web --out dot > run.dot", "for Graphviz"),
    ("ensue graph score.yaml --app shop --env dev --env-type development", "the resources of a deployment"),
    (
        "ensue graph score.yaml --app shop --env dev --env-type t --value TIER=gold",
        "the same with a value of its environment",
    ),
    ("ensue graph set.json --app shop --env dev --env-type t --out svg > shop.svg", "the same as a picture"),
)


@click.command("graph", cls=ProjectCommand, names_minion=True, examples=EXAMPLES)
@click.argument("sls", metavar="[SLS|FILE]...", nargs=-1, shell_complete=complete_sls)
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=complete_run,
    help="Draw what a run grew into: its id, the beginning of it, or 'last'.",
)
@deployment_options
@image_option
@value_option
@pillar_options
@project_options("text", "dot", "mermaid", "svg", "json", "yaml")
def command(
    session: Session,
    *,
    sls: tuple[str, ...],
    run_id: str | None,
    images: tuple[str, ...],
    values: tuple[str, ...],
    **deployment: Any,
) -> int:
    """Draw the graph of a run, or of a deployment's resources.

    What a run adds to the graph is drawn in boxes under the state that caused it. Without --run, the graph
    is what is known before a run, where delayed blocks and SLS are empty boxes. Without an SLS, the
    highstate is drawn.

    Of Score files or a deployment set, with --app, --env and --env-type, the resource graph is drawn in
    the order of provisioning, each with what the store has of it. An environment that has been deployed
    needs no --env-type. As dot, mermaid or svg, each resource
    is a box, and arrows lead from dependents to dependencies.

    Exit code: 0 success; 1 it does not compile, or there is no such run.
    """
    if run_id is not None and sls:
        raise click.UsageError("an SLS and --run cannot be drawn together")
    words = DeploymentWords(**deployment)
    if files := deployment_files(sls, words):
        return _deployment(session, files, words, given_images(images), given_values(values))
    if images or values:
        option = "--image" if images else "--value"
        raise click.UsageError(f"{option} goes with a Score file or a deployment set")
    top = _planned(session, sls) if run_id is None else _run(session, run_id)
    if session.is_for_programs:
        from ensue.output.drawing.data import drawing_data

        session.print_document({top.name: drawing_data(top, session.masker)})
    else:
        session.print_text(f"{line}\n" for line in drawing_lines_of(session, top))
    return exit_codes.SUCCEEDED


def _deployment(
    session: Session,
    files: list[Path],
    words: DeploymentWords,
    images: dict[str, str],
    values: dict[str, str],
) -> int:
    """Print the resource graph of a deployment."""
    from ensue.output.resource_graph import graph_data, graph_lines

    session.names_minion = False
    context = words.context(needs_type=False)

    records: dict[ResourceKey, ActiveResource] = {}

    async def work(project: AppProject) -> PlannedGraph:
        type_ = context.env_type or await project.kept_env_type(context)
        of_type = msgspec.structs.replace(context, env_type=type_)
        planned = await project.deployment_graph(files, of_type, words.definitions, images, values)
        records.update(await _records(session, project, context))
        return planned

    planned = session.run(work)
    session.print_diagnostics(planned.warnings)
    if session.is_for_programs:
        session.print_document(
            graph_data(planned.graph, planned.nodes, planned.missing_drivers, session.masker)
        )
        return exit_codes.SUCCEEDED
    if session.out == "text":
        palette = session.stdout_palette
        lines: Iterable[str] = graph_lines(planned.graph, planned.missing_drivers, palette, records)
    else:
        lines = drawing_lines_of(session, _drawn(planned, records, session.out))
    session.print_text(f"{line}\n" for line in lines)
    return exit_codes.SUCCEEDED


async def _records(
    session: Session, project: AppProject, context: Context
) -> dict[ResourceKey, ActiveResource]:
    """Return what earlier deployments of an environment have provisioned, nothing if that is unreadable."""
    from ensue.core.errors import StoreError

    try:
        active = await project.active_resources(context.app, context.env)
    except StoreError as error:
        reason = session.masker.text(str(error))
        session.lines.write(f"ensue: all resources are shown as planned, because of the store: {reason}")
        return {}
    return {record.key: record for where, record in active if where.org == context.org}


def _drawn(planned: PlannedGraph, records: dict[ResourceKey, ActiveResource], form: str) -> ScopeBox:
    """Return the drawing of a deployment, with what earlier ones have made.

    Raises:
        click.UsageError: it is too large for a picture of that form.
    """
    from ensue.output.drawing.from_resources import planned_resources

    resources = list(planned_resources(planned.graph, planned.missing_drivers, records))
    top = drawn_resources(planned.graph.context, resources, form)
    if top is None:
        msg = f"{too_many(resources)}: name fewer files, or use text, json, yaml, dot or mermaid"
        raise click.UsageError(msg)
    return top


def _planned(session: Session, sls: tuple[str, ...]) -> ScopeBox:
    from ensue.cli.salt_arguments import mods_of

    async def work(project: AppProject) -> ScopeBox:
        return await project.draw(mods_of(sls))

    return session.run(work)


def _run(session: Session, run_id: str) -> ScopeBox:
    from ensue.output.drawing.from_events import draw_events

    project = session.open()
    return draw_events(project.run_events(run_id), project.minion_id)
