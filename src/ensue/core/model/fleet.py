"""Runs over many minions as values: the order, and the report of each minion."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- an order is decoded when its run is resumed
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.report import RunReport, RunStatus
    from ensue.core.model.returns import Return

MOST_FAILURES: Final = 50
"""The most failures of a minion that are listed."""
MOST_MINIONS: Final = 50
"""The most minions whose failures are listed."""


class FleetOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to minions.

    Args:
        verb: `apply`, `call`, `sync` or `status`.
        tgt: a compound target of Salt.
        timeout_s: how long a minion may be silent.
        mods: SLS names; none: the highstate.
        test: whether it is a plan.
        concurrency: how many functions run at once on a minion; None: the default.
        failhard: stop a minion's run at its first failure; None: as configured.
        saltenv: the environment that SLS are taken from; None: as configured.
        batch: how many minions one job is for, as a number or a percentage; None: all.
        fail_limit: how many minions may fail before no further job is published; None: any number.
        wait_for_lock: wait for another apply of the project instead of refusing; a number: at most so
            many seconds.
        function: the execution function of a `call`.
        args: its arguments by position.
        kwargs: its arguments by name.
    """

    verb: str
    tgt: str
    timeout_s: float
    mods: tuple[str, ...] = ()
    test: bool = False
    concurrency: int | None = None
    failhard: bool | None = None
    saltenv: str | None = None
    batch: str | None = None
    fail_limit: str | None = None
    wait_for_lock: bool | float = False
    function: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


class ReportedRun(Protocol):
    """All that a minion has reported about its run."""

    def report(self) -> RunReport:
        """Return the report of the run, with all returns; it is made anew each time."""
        ...


class MinionRun(msgspec.Struct, frozen=True, kw_only=True):
    """A minion's run, as far as it was reported.

    There may be thousands, so that the returns are not here as values, except those that are listed.

    Args:
        exit_code: 0, 2, or 130.
        counts: its states by outcome, by the fields of `RunCounts`.
        failures: the first failures in order of their start, without states and changes: states that failed,
            and states of which a delayed rendering failed; if no state that was called has failed, those that
            were not called.
        more_failures: how many others there are.
        reported: reads all returns.
    """

    exit_code: int
    counts: Mapping[str, int]
    failures: tuple[Return, ...]
    more_failures: int
    reported: ReportedRun


class MinionReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report of one minion about an order.

    Args:
        id: the minion.
        problem: why it did not execute the order; empty if it did, whether or not states failed.
        run: its run, as far as it was reported; None if nothing was run.
        warnings: the warnings of its run.
        answer: the answer of an execution function, masked; None if there is none.
        ok: whether it executed the order and nothing failed.
        status: the values for `fleet sync` and `fleet status`.
        needs: what its states need of other minions, one line each.
    """

    id: str
    problem: str = ""
    run: MinionRun | None = None
    warnings: tuple[str, ...] = ()
    answer: Any = None
    ok: bool = True
    status: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    needs: tuple[str, ...] = ()


class FleetReport(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run over many minions.

    Args:
        run_id: its id.
        test: whether it was a plan.
        status: how it ended.
        exit_code: 0, 2, or 130.
        minions: the report of each minion, sorted by id.
        not_asked: the minions that no job was published for.
        warnings: diagnostics about the run as a whole.
        duration_s: wall time, in seconds.
    """

    run_id: str
    test: bool
    status: RunStatus
    exit_code: int
    minions: tuple[MinionReport, ...]
    not_asked: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    duration_s: float = 0.0
