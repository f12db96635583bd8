"""`--batch` and `--fail-limit` of an apply with a target: numbers of the hosts that match, or percentages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.engine.services import HostLimits

if TYPE_CHECKING:
    from ensue.language.plans.run_options import RunOptions


def check_host_limits(options: RunOptions) -> None:
    """Refuse limits that are not valid, before anything runs.

    Raises:
        ConfigurationError: one is neither a number nor a percentage.
    """
    host_limits(options, 1)


def host_limits(options: RunOptions, hosts: int) -> HostLimits | None:
    """Return the limits of a run; None: all hosts begin at once, as in a plan, which changes nothing.

    Args:
        options: how the run is done.
        hosts: how many hosts its target matches.

    Raises:
        ConfigurationError: a limit is neither a number nor a percentage.
    """
    if options.batch is None and options.fail_limit is None:
        return None
    from ensue.language.targeting.batch import Portion

    batch = None if options.batch is None else Portion.parse(options.batch, "batch")
    fail_limit = (
        None if options.fail_limit is None else Portion.parse(options.fail_limit, "fail limit", least=0)
    )
    if batch is None or options.test:
        return None
    return HostLimits(
        at_once=max(1, batch.of(hosts)), failures=None if fail_limit is None else fail_limit.of(hosts)
    )


def too_many_failed(reason: str, again: str) -> Diagnostic:
    """Return the warning that hosts were not run because too many others had failed.

    Args:
        reason: how many failed, and how many may.
        again: the command that resumes the run.
    """
    return Diagnostic(
        code="E0868",
        summary=f"no further host was begun: {reason}",
        detail="hosts that had begun ran to their end; the others are listed as not run",
        help=f"mend what failed, and continue with the others: {again}",
        severity=Severity.WARNING,
    )
