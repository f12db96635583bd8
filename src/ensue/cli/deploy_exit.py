"""The exit code of `ensue deploy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.cli import exit_codes
from ensue.core.diagnostics import Severity

if TYPE_CHECKING:
    from ensue.cli.session import Session
    from ensue.deploy.environments.deployment_report import DeploymentReport


def exit_code_of(session: Session, report: DeploymentReport, *, is_detailed: bool) -> int:
    """Return the exit code of a deployment or its plan; say on stderr that the deployment would be refused.

    Args:
        session: the session of the command.
        report: the result of the deployment.
        is_detailed: whether `--detailed-exitcode` is given.
    """
    if report.run.status == "interrupted":
        return exit_codes.INTERRUPTED
    if codes := report.deployment.refusals.codes:
        session.lines.write(f"ensue: the deployment would be refused: {', '.join(codes)} (see above)")
        return exit_codes.REFUSED
    warned = {refusal.code for refusal in report.refusals if refusal.severity is Severity.WARNING}
    if warned:
        session.lines.write(f"ensue: the deployment would fail: {', '.join(sorted(warned))} (see above)")
        return exit_codes.REFUSED
    return _detailed(report) if is_detailed else report.run.exit_code


def _detailed(report: DeploymentReport) -> int:
    """Return the exit code for `--detailed-exitcode`, as that of `ensue plan`."""
    if report.run.exit_code:
        return exit_codes.REFUSED
    is_changing = any(resource.outcome.status == "planned" for resource in report.nodes)
    return exit_codes.CHANGES if is_changing else exit_codes.SUCCEEDED
