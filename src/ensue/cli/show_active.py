"""`ensue show active` and `ensue show impact`: what is provisioned, and what definitions would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.cli import exit_codes
from ensue.core.model.first_names import first_names

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.deployment import DeploymentWords
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.impact import Impact

_MOST_NAMED: Final = 5


def active_resources(
    session: Session, resource: str, words: DeploymentWords
) -> list[tuple[Context, ActiveResource]]:
    """Return the active resources, or those of one name.

    Args:
        session: the session of the command.
        resource: `TYPE.CLASS#ID`; empty: all.
        words: the environments.

    Raises:
        ConfigurationError: the environments have no record of the resource.
    """
    from ensue.deploy.environments.deployment_reader import kept_resources

    async def work(project: AppProject) -> list[tuple[Context, ActiveResource]]:
        active = await project.shown_resources(words.app, words.env)
        keys = kept_resources((record.key for _, record in active), [resource]) if resource else ()
        return [(context, record) for context, record in active if not resource or record.key in keys]

    return session.run(work)


def show_active(session: Session, resource: str, words: DeploymentWords) -> int:
    """Print the active resources, or those of one name, by environment and resource; secrets are masked."""
    active = active_resources(session, resource, words)
    if not active and (words.app or words.env):
        _tell_environments(session, words)
    if session.is_for_programs:
        session.print_document([_active_data(context, record, session.masker) for context, record in active])
        return exit_codes.SUCCEEDED
    headings = ("environment", "resource", "definition", "driver", "state")
    rows = [
        (_environment(context), str(record.key), record.definition, record.driver, _state(record))
        for context, record in active
    ]
    session.print_table(headings, rows)
    return exit_codes.SUCCEEDED


def _tell_environments(session: Session, words: DeploymentWords) -> None:
    """Say which environments there are, if none is the one that was asked for."""
    from ensue.output.colours import on_one_line

    async def work(project: AppProject) -> list[tuple[Context, ActiveResource]]:
        return await project.active_resources()

    known = sorted({_environment(context) for context, _ in session.run(work)})
    there = f"there is {first_names(known, _MOST_NAMED)}" if known else "nothing is active"
    session.lines.write(
        on_one_line(f"ensue: nothing of {words.app or '*'}/{words.env or '*'} is active ({there})")
    )


def show_impact(session: Session, definition: str | None, words: DeploymentWords) -> int:
    """Print the active resources that the definitions and their sources, as they are now, would change."""

    async def work(project: AppProject) -> tuple[list[Impact], list[Diagnostic]]:
        active = await project.shown_resources(words.app, words.env)
        sources = await project.changed_sources(active)
        return project.deployments(words.definitions).impacts(active, definition, sources)

    impacts, warnings = session.run(work)
    session.print_diagnostics(warnings)
    if session.is_for_programs:
        session.print_document([_impact_data(impact) for impact in impacts])
        return exit_codes.SUCCEEDED
    headings = ("environment", "resource", "definition", "becomes", "why", "dependents", "workloads")
    rows = [
        (
            _environment(impact.context),
            str(impact.key),
            impact.was,
            impact.becomes or "",
            impact.reason + ("" if impact.drivers is None else f", replaced: {' → '.join(impact.drivers)}"),
            str(len(impact.dependents)),
            _workload_names(impact),
        )
        for impact in impacts
    ]
    if rows:
        session.print_table(headings, rows)
    else:
        session.print_text(["no active resource would change\n"])
    return exit_codes.SUCCEEDED


def _workload_names(impact: Impact) -> str:
    names = [key.id.removeprefix("modules.") for key in impact.workloads]
    return first_names(names, _MOST_NAMED)


def _environment(context: Context) -> str:
    return f"{context.app}/{context.env}"


def _state(record: ActiveResource) -> str:
    """Return the phase of a resource, and what its definition says of its removal."""
    not_ready = ["not ready"] * record.awaits_ready
    return ", ".join(
        [record.phase, *not_ready, *["protected"] * record.protect, *["retained"] * record.retain]
    )


def shown_outputs(record: ActiveResource, masker: Masker) -> Any:
    """Return the outputs of a resource as they may be shown, without its secrets and those of the project."""
    from ensue.core.model.secret_values import IDENTITY_KEYS, hide_named
    from ensue.core.model.sensitive_paths import hide_paths
    from ensue.deploy.provisioning.sensitive import colon_paths
    from ensue.output.presentable import presentable

    outputs = hide_paths(record.outputs, colon_paths(record.secret_paths))
    return presentable(hide_named(outputs, shown=IDENTITY_KEYS), masker)


def _active_data(context: Context, record: ActiveResource, masker: Masker) -> dict[str, Any]:
    return {
        "app": context.app,
        "env": context.env,
        "env_type": context.env_type,
        "resource": str(record.key),
        "definition": record.definition,
        "driver": record.driver,
        "state": record.phase,
        "ready": not record.awaits_ready,
        "protect": record.protect,
        "retain": record.retain,
        "depends_on": [str(key) for key in record.depends_on],
        "outputs": shown_outputs(record, masker),
    }


def _impact_data(impact: Impact) -> dict[str, Any]:
    return {
        "app": impact.context.app,
        "env": impact.context.env,
        "env_type": impact.context.env_type,
        "resource": str(impact.key),
        "definition": impact.was,
        "becomes": impact.becomes,
        "why": impact.reason,
        "replaced": None
        if impact.drivers is None
        else {"driver": impact.drivers[0], "by": impact.drivers[1]},
        "dependents": [str(key) for key in impact.dependents],
        "workloads": [str(key) for key in impact.workloads],
    }
