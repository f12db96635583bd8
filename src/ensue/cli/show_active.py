"""`ensue show active` and `ensue show impact`: what is provisioned, and what definitions would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.cli import exit_codes

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


def show_active(session: Session, words: DeploymentWords) -> int:
    """Print the active resources, by environment and resource; secrets are masked."""

    async def work(project: AppProject) -> list[tuple[Context, ActiveResource]]:
        return await project.shown_resources(words.app, words.env)

    active = session.run(work)
    if not active and (words.app or words.env):
        _tell_environments(session, words)
    if session.is_for_programs:
        session.print_document([_active_data(context, one, session.masker) for context, one in active])
        return exit_codes.SUCCEEDED
    headings = ("environment", "resource", "definition", "driver", "state")
    rows = [
        (_environment(context), str(one.key), one.definition, one.driver, _state(one))
        for context, one in active
    ]
    session.print_table(headings, rows)
    return exit_codes.SUCCEEDED


def _tell_environments(session: Session, words: DeploymentWords) -> None:
    """Say which environments there are, if none is the one that was asked for."""
    from ensue.output.colours import on_one_line

    async def work(project: AppProject) -> list[tuple[Context, ActiveResource]]:
        return await project.active_resources()

    known = sorted({_environment(context) for context, _ in session.run(work)})
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    there = f"there is {', '.join(known[:_MOST_NAMED])}{more}" if known else "nothing is active"
    session.lines.write(
        on_one_line(f"ensue: nothing of {words.app or '*'}/{words.env or '*'} is active ({there})")
    )


def show_impact(session: Session, definition: str | None, words: DeploymentWords) -> int:
    """Print the active resources that the current definitions would change."""

    async def work(project: AppProject) -> tuple[list[Impact], list[Diagnostic]]:
        active = await project.shown_resources(words.app, words.env)
        return project.deployments(words.definitions).impacts(active, definition)

    found, warnings = session.run(work)
    session.print_diagnostics(warnings)
    if session.is_for_programs:
        session.print_document([_impact_data(one) for one in found])
        return exit_codes.SUCCEEDED
    headings = ("environment", "resource", "definition", "becomes", "why", "dependents", "workloads")
    rows = [
        (
            _environment(one.context),
            str(one.key),
            one.was,
            one.becomes or "",
            one.reason + ("" if one.drivers is None else f", replaced: {' → '.join(one.drivers)}"),
            str(len(one.dependents)),
            _workload_names(one),
        )
        for one in found
    ]
    if rows:
        session.print_table(headings, rows)
    else:
        session.print_text(["no active resource would change\n"])
    return exit_codes.SUCCEEDED


def _workload_names(one: Impact) -> str:
    names = [key.id.removeprefix("modules.") for key in one.workloads]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _environment(context: Context) -> str:
    return f"{context.app}/{context.env}"


def _state(one: ActiveResource) -> str:
    """Return the phase of a resource, and what its definition says of its removal."""
    not_ready = ["not ready"] * one.awaits_ready
    return ", ".join([one.phase, *not_ready, *["protected"] * one.protect, *["retained"] * one.retain])


def _active_data(context: Context, one: ActiveResource, masker: Masker) -> dict[str, Any]:
    from ensue.core.model.secret_values import IDENTITY_KEYS, hide_named
    from ensue.core.model.sensitive_paths import hide_paths
    from ensue.deploy.provisioning.sensitive import colon_paths
    from ensue.output.presentable import presentable

    outputs = hide_paths(one.outputs, colon_paths(one.secret_paths))
    return {
        "app": context.app,
        "env": context.env,
        "env_type": context.env_type,
        "resource": str(one.key),
        "definition": one.definition,
        "driver": one.driver,
        "state": one.phase,
        "ready": not one.awaits_ready,
        "protect": one.protect,
        "retain": one.retain,
        "depends_on": [str(key) for key in one.depends_on],
        "outputs": presentable(hide_named(outputs, shown=IDENTITY_KEYS), masker),
    }


def _impact_data(one: Impact) -> dict[str, Any]:
    return {
        "app": one.context.app,
        "env": one.context.env,
        "env_type": one.context.env_type,
        "resource": str(one.key),
        "definition": one.was,
        "becomes": one.becomes,
        "why": one.reason,
        "replaced": None if one.drivers is None else {"driver": one.drivers[0], "by": one.drivers[1]},
        "dependents": [str(key) for key in one.dependents],
        "workloads": [str(key) for key in one.workloads],
    }
