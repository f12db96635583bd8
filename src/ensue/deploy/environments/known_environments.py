"""The environments that a store has: which is meant, and what to say of one that it does not have.

An environment that was destroyed has a history, and is not suggested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.core.model.first_names import first_names
from ensue.deploy.provisioning.deployment_records import living
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from ensue.deploy.environments.deploying_project import EnvironmentResources
    from ensue.deploy.provisioning.deployment_records import (
        DeploymentHistory,
        DeploymentRecord,
        KeptDeployment,
    )
    from ensue.deploy.provisioning.identity import Context

_MOST_NAMED: Final = 10


def kept_deployment(history: DeploymentHistory, context: Context, number: int) -> KeptDeployment:
    """Return a deployment of an environment; this blocks.

    Args:
        history: the deployments of all environments.
        context: the environment.
        number: the deployment; 0: the last one.

    Raises:
        ConfigurationError: it is not kept.
        StoreError: the store cannot be read or decrypted.
    """
    deployment = history.find(context, number) if number else history.newest(context)
    if deployment is not None:
        return deployment
    there = [record.number for _, record in history.records(context.app, context.env, context.org)]
    others = [context.environment for context, _ in history.records()]
    raise ConfigurationError(
        [
            Diagnostic(
                code="E0854",
                summary=f"{context.environment} has no deployment {number or ''}".rstrip(),
                help=f"the store has {there[-1]} to {there[0]}"
                if there
                else near_names(context.environment, set(others)) or "`ensue deployments list` shows all",
            )
        ]
    )


def kept_env_type(history: DeploymentHistory, context: Context) -> str:
    """Return the type that an environment has; this blocks.

    Raises:
        ConfigurationError: it has none: it has never been deployed.
        StoreError: the store cannot be read or decrypted.
    """
    newest = history.newest(context)
    if newest is not None and newest.record.env_type:
        return newest.record.env_type
    near = near_names(context.environment, {record.environment for record in living(history.records())})
    raise ConfigurationError(
        [
            Diagnostic(
                code="E0856",
                summary=f"the type of the environment {context.environment} is not known",
                detail="the store has no deployment of it",
                help=f"{near} If not, give it with --env-type" if near else "give it with --env-type",
            )
        ]
    )


def require_environment(history: DeploymentHistory, active: EnvironmentResources, context: Context) -> None:
    """Refuse an environment that a store does not have, if it has others: its name is misspelt; this blocks.

    Raises:
        ConfigurationError: it does not have it.
        StoreError: the store cannot be read or decrypted.
    """
    if history.newest(context) is not None or active.load(context):
        return
    records = history.records()
    if not records:
        return
    known = {context_.environment: context_ for context_ in living(records)}
    namesakes = [
        context_.org
        for context_ in known.values()
        if (context_.app, context_.env) == (context.app, context.env)
    ]
    help_ = ""
    if namesakes:
        help_ = f"give --org {namesakes[0]}" if namesakes[0] else "leave out --org"
    raise _unknown_environment(context.environment, known, help_)


def require_shown(
    active: Collection[Context],
    records: Collection[tuple[Context, DeploymentRecord]],
    app: str | None,
    env: str | None,
) -> None:
    """Refuse the names of environments to be shown if a store has had others, and none of these.

    Args:
        active: the environments that have resources.
        records: all deployments with their environments, the newest of each environment first.
        app: the application; None: all.
        env: the id of the environments; None: all.

    Raises:
        ConfigurationError: it has none of these.
    """
    ever = {*active, *(context for context, _ in records)}
    if ever and not any(app in {None, context.app} and env in {None, context.env} for context in ever):
        known = {*active, *living(records)}
        names = {f"{context.app}/{context.env}" if env else context.app for context in known}
        if app is None:
            names = {context.env for context in known}
        raise _unknown_environment("/".join(filter(None, (app, env))), names, "")


def _unknown_environment(name: str, known: Collection[str], help_: str) -> ConfigurationError:
    """Return the error for an environment that a store does not have.

    Args:
        name: its name.
        known: the names of those that it has.
        help_: what to write instead; empty: the names like it.
    """
    names = first_names(sorted(known), _MOST_NAMED)
    listed = f"it has {names}" if known else "all that it had is destroyed"
    return ConfigurationError(
        [
            Diagnostic(
                code="E0839",
                summary=f"the store has nothing of {name}",
                detail=listed,
                help=help_ or near_names(name, known) or "`ensue show active` lists what there is",
            )
        ]
    )
