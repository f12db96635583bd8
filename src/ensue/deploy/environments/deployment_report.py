"""The result of a deployment that was a run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic
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
        """What was found while resources were provisioned or planned: errors, or the warnings of a plan.

        One for each resource whose update destroys something, and for what joins a plan and is refused.
        """
        updates = (update.diagnostic for update in self.deployment.states.refused)
        return (*updates, *self.deployment.late_refusals)

    @property
    def replaceable(self) -> tuple[str, ...]:
        """The resources whose update is refused and would be carried out if replacing them was allowed."""
        return tuple(
            str(update.key)
            for update in self.deployment.states.refused
            if not (update.is_protected or update.is_planned)
        )
