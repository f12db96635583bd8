"""Deployments, as the functions of the state module `graph` see them.

Source: resource graph document; what is deployed is provisioned as growth under the state that asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.model.data import DataMap
    from ensue.model.returns import StateReturn


class DeploymentOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be deployed, and where.

    Args:
        app: the id of the application.
        env: the id of the environment.
        env_type: the type of the environment.
        org: the id of the organization; may be empty.
        files: Score files and deployment sets.
        definitions: where definitions are; None: as `ensue.yaml` says.
        values: what Score's types `environment` and `service` are, by `NAME` or `RESOURCE.NAME`.
        images: workload to the image of its containers whose image is `.`; `*`: of all other workloads.
        prune: remove what earlier deployments provisioned and this one does not ask for.
        destroy: remove everything of the environment; nothing is built then.
        render: what workloads are rendered as: `kubernetes`, `compose`, `values`; empty: they are not.
        render_to: the folder for the files of that.
    """

    app: str
    env: str
    env_type: str = ""
    org: str = ""
    files: tuple[Path, ...] = ()
    definitions: Path | None = None
    values: Mapping[str, Any] = {}
    images: Mapping[str, str] = {}
    prune: bool = False
    destroy: bool = False
    render: str = ""
    render_to: Path | None = None

    @property
    def environment(self) -> str:
        """The environment as people read it: `APP/ENV`."""
        return f"{self.app}/{self.env}"


class Deployed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a deployment.

    Args:
        statuses: how many resources have each status (`created`, `unchanged`, `failed`, …).
        changes: the resources that were changed by status, `TYPE.CLASS#ID` each; in a plan those that
            would be.
        workloads: of each workload `outputs`, and `resources` with the outputs of the resources that it
            declares.
        shared: the outputs of shared resources by name.
        sensitive: colon paths to secrets, into `{WORKLOAD: …, "shared": …}`.
        failures: why resources failed, `TYPE.CLASS#ID: reason` each; or why nothing was built.
        orphans: resources that are kept and that nobody asks for any more.
        rendered: the files that workloads were rendered to and that have changed.
        warnings: what is left out of them, or is not known.
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

    async def remove(self, resource: str) -> StateReturn:
        """Remove one resource of the environment that the state belongs to.

        Args:
            resource: the resource, `TYPE.CLASS#ID`.
        """
        ...
