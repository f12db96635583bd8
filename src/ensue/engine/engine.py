"""The engine's public entry: it runs a plan and returns the outcome; a run can be cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.engine.outcome import EngineOutcome
from ensue.engine.places import FAIL_LIMIT
from ensue.engine.scheduler import INTERRUPTED, Scheduler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.report import RunStatus
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.plans.joining import Newcomers
    from ensue.engine.services import EngineOptions, EngineServices

_NOTHING_DONE: dict[StateIdentity, Return | None] = {}


class Engine:
    """Runs plans, one after the other.

    Args:
        services: functions, contexts, growth, a sink of events, a clock.
        options: switches.
    """

    def __init__(self, services: EngineServices, options: EngineOptions) -> None:
        self._services = services
        self._options = options
        self._scheduler: Scheduler | None = None
        self._stopped = ""

    def stop(self, reason: str) -> None:
        """Start nothing new in this run or a later one; what is running ends, and the outcome says why.

        Args:
            reason: what makes it impossible to go on, for the user.
        """
        self._stopped = reason
        if self._scheduler is not None:
            self._scheduler.stop(reason)

    async def run(
        self,
        plan: Plan,
        done: Mapping[StateIdentity, Return | None] = _NOTHING_DONE,
        *,
        beside: Sequence[Plan] = (),
        newcomers: Newcomers | None = None,
    ) -> EngineOutcome:
        """Run a plan and everything that grows from it, and at the same time the plans of other resources.

        Cancelling the task once stops the run: nothing new starts, what is running ends, and the
        outcome says `interrupted`. Cancelling it again ends what is running too. In neither case is
        `CancelledError` raised.

        Args:
            plan: the plan.
            done: returns of states that an interrupted run finished, by identity, to be taken over; None for
                those to be called again.
            beside: plans of other resources, each of which is a scope of its own; their tags differ from
                those of `plan` and from each other's.
            newcomers: names the resources whose plans join the run later; None: there are none.

        Returns:
            The outcome.

        Raises:
            CycleError: the plan's requisites form a cycle; nothing was run.
        """
        scheduler = self._scheduler = Scheduler(self._services, self._options, done)
        if self._stopped:
            scheduler.stop(self._stopped)
        work = asyncio.create_task(scheduler.run((plan, *beside), newcomers))
        try:
            await _outlast_cancellation(work, scheduler)
        except BaseExceptionGroup as group:
            if len(group.exceptions) == 1:
                raise group.exceptions[0] from None
            raise
        return _outcome(scheduler)


async def _outlast_cancellation(work: asyncio.Task[None], scheduler: Scheduler) -> None:
    """Wait for the end of a run; each cancellation of the waiting task becomes a request to stop."""
    requests = 0
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            requests += 1
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            if requests == 1:
                scheduler.stop(INTERRUPTED)
            else:
                scheduler.end_running()
    work.result()


def _outcome(scheduler: Scheduler) -> EngineOutcome:
    status: RunStatus = "succeeded"
    if scheduler.stop_reason == INTERRUPTED:
        status = "interrupted"
    elif scheduler.scopes.failed or scheduler.was_stopped:
        status = "failed"
    not_run = scheduler.scopes.left_out()
    stopped = scheduler.stop_reason if scheduler.was_stopped else ""
    left_out = any(chunk.host and chunk.reason == FAIL_LIMIT for chunk in not_run)
    too_many_failed = left_out and not stopped and status == "failed"
    if too_many_failed and scheduler.places is not None:
        stopped = scheduler.places.excess
    overtaken = scheduler.scopes.overtaken()
    return EngineOutcome(
        returns=scheduler.scopes.release(),
        not_run=not_run,
        status=status,
        stopped=stopped,
        too_many_failed=too_many_failed,
        overtaken=overtaken,
        would_stop_at=scheduler.would_stop_at,
    )
