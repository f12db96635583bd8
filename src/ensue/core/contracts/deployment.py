"""Deployments, as the functions of the state module `graph` see them.

Source: resource graph document; resources are provisioned as growth under the state that requests it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn


ANY_RESOURCE: Final = "*"
"""In place of a resource that may be taken over: all of them."""


class DeploymentSource(msgspec.Struct, frozen=True, kw_only=True):
    """A deployment whose set is deployed again.

    Args:
        env: the environment that it was deployed into, of the same application.
        number: its number; 0: the last one.
    """

    env: str
    number: int


class DeploymentOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What to deploy, and where.

    Args:
        app: the id of the application.
        env: the id of the environment.
        env_type: the type of the environment; empty: the one that it has.
        org: the id of the organization; may be empty.
        files: Score files and deployment sets.
        source: an earlier deployment, whose set is deployed instead of files; None: none.
        definitions: the folder of the definitions; None: as in `ensue.yaml`.
        values: the values of Score's types `environment` and `service`, by `NAME` or `RESOURCE.NAME`.
        images: workload to the image of its containers whose image is `.`; `*`: of all other workloads.
        merge: keep the other workloads and shared resources of the environment as they were deployed last;
            otherwise the files are the whole environment.
        drop_workloads: the workloads that leave the environment; the others are kept.
        drop_shared: the shared resources that leave the environment; the others are kept.
        ttl_s: how long the environment lives after the deployment, in seconds; 0: without end; None: as long
            as after the deployment before.
        newest: refuse unless this is the number of the last deployment of the environment; None: any.
        prune: remove resources of earlier deployments that this one does not request.
        destroy: remove everything of the environment, and build nothing.
        allow_replace: the resources that may be destroyed in order to be replaced, `TYPE.CLASS#ID` each; `*`:
            all.
        replace: the resources, `TYPE.CLASS#ID` each, that are destroyed and made anew.
        only: the resources, `TYPE.CLASS#ID` each, that are provisioned, with all that they depend on; empty:
            all.
        unprotect: the resources whose protection does not count this time, in the same form.
        change_env_type: whether the environment may get another type than it has.
        new_env: whether the environment may be new although another one has almost the same name.
        adopt: the resources, `TYPE.CLASS#ID` each, that may be taken over from another store; `*`: all.
        refresh: whether drivers look at what they have made although the inputs are the same.
        rotate: the resources, `TYPE.CLASS#ID` each, that get a new password.
        render: the format to render workloads in: `kubernetes`, `compose`, `values`; empty: none.
        render_to: the folder for the rendered files.
    """

    app: str
    env: str
    env_type: str = ""
    org: str = ""
    files: tuple[Path, ...] = ()
    source: DeploymentSource | None = None
    definitions: Path | None = None
    values: Mapping[str, Any] = {}
    images: Mapping[str, str] = {}
    merge: bool = False
    drop_workloads: tuple[str, ...] = ()
    drop_shared: tuple[str, ...] = ()
    ttl_s: float | None = None
    newest: int | None = None
    prune: bool = False
    destroy: bool = False
    allow_replace: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    unprotect: tuple[str, ...] = ()
    change_env_type: bool = False
    new_env: bool = False
    adopt: tuple[str, ...] = ()
    refresh: bool = False
    rotate: tuple[str, ...] = ()
    render: str = ""
    render_to: Path | None = None

    @property
    def environment(self) -> str:
        """The environment as people read it: `APP/ENV`."""
        return f"{self.app}/{self.env}"

    @property
    def keeps_others(self) -> bool:
        """Whether what it does not name stays in the environment."""
        return self.merge or bool(self.drop_workloads or self.drop_shared)


class Deployed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a deployment.

    Args:
        statuses: how many resources have each status (`created`, `unchanged`, `failed`, …).
        changes: the resources that were changed by status, `TYPE.CLASS#ID` each; in a plan those that
            would be.
        workloads: of each workload `outputs`, and `resources` with the outputs of the resources that it
            declares.
        shared: the outputs of shared resources by name.
        sensitive: colon paths to secrets, into `{WORKLOAD: …, "shared": …}`.
        failures: why resources failed, `TYPE.CLASS#ID: reason` each; or why nothing was built.
        orphans: resources that are kept although nothing requests them any more.
        rendered: the files that workloads were rendered to and that have changed.
        warnings: keys of workloads that are left out of them, or not known.
    """

    statuses: Mapping[str, int]
    changes: DataMap
    workloads: DataMap
    shared: DataMap
    sensitive: tuple[str, ...]
    failures: tuple[str, ...]
    orphans: tuple[str, ...]
    rendered: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Deployments(Protocol):
    """Builds and provisions resource graphs on behalf of a state."""

    async def deploy(self, order: DeploymentOrder) -> Deployed:
        """Build a resource graph and provision it as growth under the state; a plan changes nothing."""
        ...

    async def provision(self, resource: str) -> StateReturn:
        """Provision one resource of the deployment that the state belongs to.

        Args:
            resource: the resource, `TYPE.CLASS#ID`.
        """
        ...

    async def expand(self, name: str) -> StateReturn:
        """Provision the resources of a list of the deployment that the state belongs to.

        Args:
            name: the list, `ENTRY of TYPE.CLASS#ID`.
        """
        ...

    async def clear(self, resource: str) -> StateReturn:
        """Destroy what was made for a resource before it was replaced.

        Args:
            resource: the resource, `TYPE.CLASS#ID`.
        """
        ...

    async def remove(self, resource: str) -> StateReturn:
        """Remove one resource of the environment that the state belongs to.

        Args:
            resource: the resource, `TYPE.CLASS#ID`.
        """
        ...
