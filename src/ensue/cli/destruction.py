"""`ensue deploy --destroy`: what it takes, and what it asks on a terminal, where it shows what goes.

Without a terminal nobody can be asked, and the option itself is the consent, so that scripts never hang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.cli.session import Session
    from ensue.deploy.environments.deployment_report import DeploymentReport


def may_destroy(session: Session, plan: DeploymentReport) -> bool:
    """Show on stderr what a deployment would destroy, and return whether the person at the terminal agrees.

    Args:
        session: the session of the command.
        plan: the plan of the deployment. Without anything to destroy, nobody is asked.
    """
    from ensue.output.resource_graph import deployment_lines

    if not any(node.outcome.action == "destroy" for node in plan.nodes):
        return True
    context, palette = plan.deployment.context, session.stderr_palette
    for line in deployment_lines(context, plan.nodes, session.masker, palette, is_plan=True):
        session.lines.write(line)
    return click.confirm("Destroy them?", err=True)


def refuse_beside_destroy(given: Mapping[str, object]) -> None:
    """Refuse what says which part of an environment is meant beside `--destroy`.

    Args:
        given: the other options, by name.
    """
    if others := [name for name, value in given.items() if value]:
        raise click.UsageError(
            f"--destroy removes the whole environment: it takes no {' and no '.join(others)}"
        )
