"""What the calls of state functions use of the project that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ensue.deploy.environments.deploying_project import DeployingProject
from ensue.language.targets.project_services import ProjectServices

if TYPE_CHECKING:
    from ensue.language.targets.target_context import TargetContext


class CallingProject(ProjectServices, DeployingProject, Protocol):
    """One opened project, as the states of a run use it."""

    def template_variables(self, context: TargetContext) -> dict[str, Any]:
        """Return what templates see, in the context of a target."""
        ...
