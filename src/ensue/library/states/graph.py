"""State module `graph`: deploys the resource graph of Score files and deployment sets.

Below `graph.deployed`, each resource of the graph is a separate state. `new_state` has the outputs of
workloads and of their resources, for bindings and for `registers`.

Source: resource graph document, "Building and executing".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.deployment import ANY_RESOURCE, DeploymentOrder
from ensue.core.contracts.functions import by_name, keeps_intent
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.durations import FORMS, duration_s
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import MINION_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.contracts.deployment import Deployed
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import Return

_WORDS: Final = (
    "created", "updated", "replaced", "destroyed", "retained", "forgotten", "planned", "unchanged", "failed",
    "skipped",
)  # fmt: skip


async def deployed(
    ctx: StateContext,
    name: str,
    app: str,
    env: str,
    *,
    env_type: str,
    score: Data = None,
    deployment_set: Data = None,
    org: str = "",
    definitions: str = "",
    values: Mapping[str, Data] | None = None,
    images: Mapping[str, Data] | None = None,
    merge: bool = False,
    ttl: str = "",
    prune: bool = False,
    allow_replace: Data = False,
    change_env_type: bool = False,
    new_env: bool = False,
    render: str = "",
    render_to: str = "",
) -> StateReturn:
    """Provision the resources of Score files or deployment sets.

    Args:
        name: name of the deployment in bindings.
        app: the id of the application.
        env: the id of the environment.
        env_type: the type of the environment, such as `development`.
        score: the path of a Score file, or a list of them; relative to the project.
        deployment_set: the path of a deployment set, or a list of them.
        org: the id of the organization.
        definitions: the folder of the definitions, relative to the project; by default that of `ensue.yaml`.
        values: values of Score's types `environment` and `service`, by name.
        images: by workload, the image of its containers whose image is `.`; `*` is for all other workloads.
        merge: keep the other workloads and shared resources of the environment as they were deployed last;
            otherwise the files are the whole environment.
        ttl: how long the environment lives after each deployment (`12h`, `3d`), until `ensue deployments
            expire` removes it; `none`: without end; by default as long as after the deployment before.
        prune: remove what earlier deployments provisioned and this one does not request.
        allow_replace: whether resources may be destroyed in order to be replaced by another driver: a boolean
            for all, or `TYPE.CLASS#ID`, or a list of them.
        change_env_type: whether the environment may get another type than that of its first deployment.
        new_env: whether the environment may be new although another one has almost the same name.
        render: format to render workloads in: `kubernetes`, `compose` or `values`; by default none.
        render_to: the folder for the rendered files, relative to the project.

    Example:
        shop:
          graph.deployed:
            - app: shop
            - env: dev
            - env_type: development
            - score: [score.yaml]

    Returns:
        `changes` has the resources by what happened to them. `new_state` has, for each workload, its
        `outputs` and, under `resources`, those of its own resources; under `shared` those of shared
        resources.

    Raises:
        StateFailedError: the files or definitions are invalid; nothing was provisioned.
    """
    _refuse_resources(ctx)
    root = _root(ctx)
    files = [*_paths(root, "score", score), *_paths(root, "deployment_set", deployment_set)]
    if not files:
        raise StateFailedError("nothing to deploy: give `score` or `deployment_set`")
    order = DeploymentOrder(
        app=app,
        env=env,
        env_type=env_type,
        org=org,
        files=tuple(files),
        definitions=root / definitions if definitions else None,
        values=dict(values or {}),
        images={workload: str(image) for workload, image in (images or {}).items()},
        merge=merge,
        ttl_s=_ttl_s(ttl),
        prune=prune,
        allow_replace=_replaceable(allow_replace),
        change_env_type=change_env_type,
        new_env=new_env,
        render=render,
        render_to=root / render_to if render_to else None,
    )
    if bool(render) != bool(render_to):
        raise StateFailedError("`render` and `render_to` go together: a format, and a folder for its files")
    return _said(ctx, name, order, await ctx.deployments.deploy(order))


async def destroyed(ctx: StateContext, name: str, app: str, env: str, *, org: str = "") -> StateReturn:
    """Remove everything that deployments of an environment provisioned.

    Args:
        name: name of the state.
        app: the id of the application.
        env: the id of the environment.
        org: the id of the organization.

    Example:
        shop:
          graph.destroyed:
            - app: shop
            - env: dev

    Returns:
        `changes` has the resources that were destroyed; `new_state` has `app env exists`.

    Raises:
        StateFailedError: a resource cannot be removed; it is kept.
    """
    _refuse_resources(ctx)
    order = DeploymentOrder(app=app, env=env, org=org, destroy=True)
    outcome = _said(ctx, name, order, await ctx.deployments.deploy(order))
    if outcome.result is not True:
        return outcome
    return msgspec.structs.replace(outcome, new_state={"app": app, "env": env, "exists": False}, sensitive=())


@keeps_intent
async def provisioned(ctx: StateContext, name: str) -> StateReturn:
    """Provision one resource of a deployment; only for `graph.deployed` and `ensue deploy`.

    Args:
        name: the resource, `TYPE.CLASS#ID`.
    """
    return await ctx.deployments.provision(name)


@keeps_intent
async def expanded(ctx: StateContext, name: str) -> StateReturn:
    """Provision the resources of a list of a deployment; only for `graph.deployed` and `ensue deploy`.

    Args:
        name: the list, `ENTRY of TYPE.CLASS#ID`.
    """
    return await ctx.deployments.expand(name)


@keeps_intent
async def cleared(ctx: StateContext, name: str) -> StateReturn:
    """Destroy what a replaced resource was before; only for `graph.deployed` and `ensue deploy`.

    Args:
        name: the resource, `TYPE.CLASS#ID`.
    """
    return await ctx.deployments.clear(name)


@keeps_intent
async def removed(ctx: StateContext, name: str) -> StateReturn:
    """Remove one resource of an environment; only for `graph.deployed` and `ensue deploy`.

    Args:
        name: the resource, `TYPE.CLASS#ID`.
    """
    return await ctx.deployments.remove(name)


FUNCTIONS: Final = by_name(deployed, destroyed, provisioned, expanded, cleared, removed)
ABSENT: Final = ("destroyed", "removed")


def _environments(returned: Return) -> list[str]:
    """Return the environment that a state deploys or destroys, however the state is called."""
    return [scope.name for scope in returned.applied if scope.kind == "deployment"]


THINGS: Final = _environments

TRANSIENT: Final = tuple(FUNCTIONS)
"""The record of each resource tells a resumed run what is left to do."""
OPENS_SCOPES: Final = True


def _ttl_s(given: str) -> float | None:
    if not given:
        return None
    seconds = 0.0 if given == "none" else duration_s(given)
    if seconds is None:
        raise StateFailedError(f"ttl: {given!r} is not a duration: {FORMS}; none for no end")
    return seconds


def _replaceable(given: Data) -> tuple[str, ...]:
    if isinstance(given, bool):
        return (ANY_RESOURCE,) if given else ()
    listed = given if is_list(given) else [] if given is None else [given]
    if not all(isinstance(node, str) for node in listed):
        raise StateFailedError(f"allow_replace: {given!r} is neither true or false nor names of resources")
    return tuple(map(str, listed))


def _refuse_resources(ctx: StateContext) -> None:
    if ctx.srn.type != MINION_TYPE:
        raise NotAvailableError(f"graph is not available for {ctx.srn.type}: deployments run on the minion")


def _root(ctx: StateContext) -> Path:
    return Path(str(ctx.opts.get("root_dir", ".")))


def _paths(root: Path, word: str, given: Data) -> list[Path]:
    """Return the files that an argument names.

    The argument must name files. Content is not accepted, because it may come from another state, and data
    from a run is never read for placeholders.
    """
    listed = given if is_list(given) else [] if given is None else [given]
    for node in listed:
        if not isinstance(node, str) or not node:
            raise StateFailedError(f"{word}: {node!r} is not the path of a file")
    return [root / str(node) for node in listed]


def _said(ctx: StateContext, name: str, order: DeploymentOrder, done: Deployed) -> StateReturn:
    counts = ", ".join(f"{done.statuses[word]} {word}" for word in _WORDS if done.statuses.get(word))
    comment = f"{order.environment}: {counts or 'nothing to do'}"
    if done.orphans:
        comment += f"\norphaned (removed with prune): {', '.join(done.orphans)}"
    if done.failures:
        comment = "\n".join([comment, *done.failures])
        return StateReturn.failed(name, comment, done.changes)
    if ctx.test and done.changes:
        return StateReturn.planned(name, comment, done.changes)
    new_state: DataMap = {**({"shared": done.shared} if done.shared else {}), **done.workloads}
    return StateReturn.changed(
        name, comment, done.changes, new_state, sensitive=done.sensitive, warnings=done.warnings
    )
