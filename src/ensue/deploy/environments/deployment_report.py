"""The result of a deployment that was a run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.diagnostics import Diagnostic

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport
    from ensue.deploy.environments.deployment_run import DeploymentRun
    from ensue.deploy.provisioning.outcomes import NodeOutcome


class DeploymentReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a deployment that was a run by itself.

    Args:
        run: the run.
        deployment: the deployment.
        nodes: the outcome of every resource, in the order of provisioning.
        rendered: the files of rendered workloads that have changed.
    """

    run: RunReport
    deployment: DeploymentRun
    nodes: tuple[NodeOutcome, ...]
    rendered: tuple[Path, ...] = ()

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        """An error for each resource whose update would have destroyed something without being allowed."""
        return tuple(
            Diagnostic(
                code="E0849",
                summary=f"{key} would be replaced in part",
                detail=f"its update would destroy {things}; its driver has changed nothing",
                help=f"if that is meant, allow it: --allow-replace={key}",
            )
            for key, things in self.deployment.states.refused.items()
        )
