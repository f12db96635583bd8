"""The report of a finished run: its returns, and how it ended."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.events import StateExcluded
    from ensue.core.model.returns import Return

RunStatus = Literal["succeeded", "failed", "interrupted"]


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run.

    Args:
        run_id: its id.
        minion_id: the id results are printed under.
        test: whether it was a plan.
        status: how it ended.
        exit_code: 0, 2, or 130.
        returns: the top scope's returns by tag, in order of start; not in the `repr`, which asyncio builds
            for the result of every main task.
        not_run: the states that never started, as `ID (module.function)` with their scope.
        warnings: diagnostics of severity warning.
        duration_s: wall time of the run, in seconds.
        resumes: the id of the run that it resumed; empty for a new run.
        hosts_not_run: the hosts that did not begin, by SRN, with how many of their states are known.
        not_run_on: how many states never started, by the SRN of what they would have run on.
        owed_not_run: the states of `not_run` that would have reacted to a change, which later runs owe.
        stopped: why nothing more was started although the run had not ended: its record could not be written,
            or too many hosts had failed. It can be resumed. Empty for any other run.
        too_many_failed: whether it was stopped because too many hosts had failed.
        part: the part of the run that was chosen, as written (`--only web`); empty for a whole run.
        excluded: the states that the part leaves out.
    """

    run_id: str
    minion_id: str
    test: bool
    status: RunStatus
    exit_code: int
    returns: dict[str, Return]
    not_run: tuple[str, ...] = ()
    hosts_not_run: dict[str, int] = {}
    not_run_on: dict[str, int] = {}
    owed_not_run: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    duration_s: float = 0.0
    resumes: str = ""
    stopped: str = ""
    too_many_failed: bool = False
    part: str = ""
    excluded: tuple[StateExcluded, ...] = ()

    def as_stopped(self, reason: str, warning: Diagnostic) -> RunReport:
        """Return the report of a run that has failed because it could not be recorded.

        Args:
            reason: why.
            warning: the same for the user, with a remedy.
        """
        return msgspec.structs.replace(
            self,
            status="failed" if self.status == "succeeded" else self.status,
            exit_code=self.exit_code or 2,
            warnings=(*self.warnings, warning),
            stopped=self.stopped or reason,
        )


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `ensue runs list`, read back from the journal.

    Args:
        run_id: its id.
        started_at: ISO 8601 with offset.
        ended_at: ISO 8601 with offset; empty when the run never ended (it was killed).
        status: `succeeded`, `failed`, `interrupted`, `running` or `killed`.
        test: whether it was a plan.
        mods: the requested SLS names; empty for a highstate.
        succeeded: states with result True or None.
        changed: states that changed something, or in a plan would.
        failed: states that were called, and failed.
        total: all states, those that did not run included.
        exit_code: None before the run ends.
        resumes: the id of the run that it resumes; empty for one that began anew.
        deployment: `APP/ENV` of a run that deploys a resource graph; empty for one of SLS.
        tgt: the requested target; empty for a run of this machine.
        part: the part of the run that was chosen (`--only web`); empty for a whole run.
        unchanged: states that were already in the desired state.
        unreachable: states that failed because their host cannot be reached.
        not_run: states that were not called.
        pillar_keys: the keys of the pillar that the command line gave.
    """

    run_id: str
    started_at: str
    ended_at: str
    status: str
    test: bool
    mods: tuple[str, ...]
    succeeded: int
    changed: int
    failed: int
    total: int
    exit_code: int | None
    resumes: str = ""
    deployment: str = ""
    tgt: str = ""
    part: str = ""
    unchanged: int = 0
    unreachable: int = 0
    not_run: int = 0
    pillar_keys: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float | None:
        """The duration of the run in seconds; None before it ends."""
        try:
            began, ended = datetime.fromisoformat(self.started_at), datetime.fromisoformat(self.ended_at)
            return (ended - began).total_seconds()
        except (ValueError, TypeError):
            return None
