"""Runs of a project over minions of Salt's master, and what a minion does there for another one."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ensue.app.kept_resources import KeptResources
from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import ConfigurationError
from ensue.derived import using_registry
from ensue.engine.plans.first_plans import FirstPlans
from ensue.language.plans.run_options import RunOptions
from ensue.store.runs.lock import project_lock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.core.contracts.fleet_watcher import FleetWatcher
    from ensue.core.model.events import NodeStarted
    from ensue.core.model.fleet import FleetOrder, FleetReport
    from ensue.core.model.report import RunReport
    from ensue.core.model.resource_call import ResourceCall, ResourceReturn
    from ensue.store.registry.lock import Lock

_PILLAR_REFUSED = Diagnostic(
    code="E0848",
    summary="pillar on the command line cannot be given to minions",
    detail="it would be readable in Salt's events and job cache",
    help="put it into the pillar of the master",
)


class FleetProject(KeptResources):
    """An opened project that runs over minions, or is one of them."""

    async def _lock(self, command: str, options: RunOptions, *, shared: bool = False) -> Lock:
        lock = project_lock(self.cachedir, shared=shared)
        return await lock.take(command=command, wait_s=options.lock_wait_s)

    async def _with_remark(self, run: Callable[[], Awaitable[RunReport]]) -> RunReport:
        """Return the report of a plan, with a remark if somebody changes the project's targets meanwhile."""
        self._services()  # They limit the threads of the loop.
        holders = await asyncio.to_thread(project_lock(self.cachedir).holders)
        report = await run()
        running = tuple(
            Diagnostic(
                code="E0912",
                summary=f"{holder} was running when this plan began, which may show what it has yet to do",
                severity=Severity.WARNING,
            )
            for holder in holders
        )
        return msgspec.structs.replace(report, warnings=(*report.warnings, *running)) if running else report

    async def resource_call(self, call: ResourceCall) -> ResourceReturn:
        """Call a state on a derived resource of this minion, for another minion of a fleet.

        Raises:
            EnsueError: there is no such resource here, or its pillar does not compile.
            ValueError: the call is malformed.
        """
        from ensue.app.run_wiring import RunWiring
        from ensue.salt.fleet.guarded_context import GuardedContext
        from ensue.salt.fleet.resource_work import answer_of, plan_of

        services, plan = self._services(), plan_of(call)
        services.targets.directory.resolve(plan.target)
        self.masker.add(*call.secrets)
        await services.targets.preparation.prepare(services.stores.minion)
        await services.targets.preparation.prepare(plan.target)
        await services.compilation.states_of(plan.target.type).get_ready(call.module)
        # The run that asked for the call records what happens.
        options = RunOptions(test=call.test)
        context = partial(GuardedContext, call=call)
        wiring = RunWiring(services, options, lambda _: None, _begun, call_context=context)
        wired = await wiring.wired(FirstPlans(own=plan), (), highstate=False)
        with using_registry(wired.registry):
            outcome = await wired.engine.run(plan)
        (returned,) = outcome.returns.values()
        return answer_of(returned, self.masker)

    @property
    def fleet(self) -> str:
        """What carries out runs on many minions (`salt`); empty for a project without one."""
        given = self.settings.option("fleet") or ""
        return given if isinstance(given, str) else str(given.get("engine", "salt"))

    async def on_fleet(self, order: FleetOrder, watcher: FleetWatcher) -> FleetReport:
        """Carry out an order on the minions of Salt's master.

        Args:
            order: what they are asked for.
            watcher: sees what happens.

        Raises:
            ConfigurationError: Salt's master cannot be used, nothing can be shipped, pillar was given on the
                command line, or an option does not reach minions; nothing was run.
            TargetSyntaxError: the target has a list without its sign.
            LockHeldError: another run works on one of the minions, or the project itself is being applied.
        """
        from ensue.salt.fleet.coordinator import FleetRun
        from ensue.salt.fleet.synced import synced

        if self._pillar:
            raise ConfigurationError([_PILLAR_REFUSED])
        if order.verb != "apply" or order.test:

            async def carry_out(asked: FleetOrder, seen_by: FleetWatcher) -> FleetReport:
                return await FleetRun(self.settings, self.masker, asked, self._stores).go(seen_by)

            if order.verb == "sync":
                return await synced(self.settings, order, watcher, carry_out)
            return await carry_out(order, watcher)
        command = " ".join(("ensue", "apply", f"--tgt {self.masker.text(order.tgt)!r}", *order.mods))
        wait = RunOptions(wait_for_lock=order.wait_for_lock)
        lock = partial(self._locked, command, wait)
        run = FleetRun(self.settings, self.masker, order, self._stores, lock=lock)
        with await self._lock(command, wait, shared=True):
            return await run.go(watcher)

    async def resume_on_fleet(
        self, run_id: str, wait_for_lock: bool | float, watcher: FleetWatcher
    ) -> FleetReport:
        """Resume a run over minions: take what its jobs have reported since, and publish the rest.

        Args:
            run_id: the id of the run, the beginning of it, or `last`.
            wait_for_lock: see `RunOptions`.
            watcher: sees what happens.

        Raises:
            UnknownRunError: there is no such run, or it cannot be resumed.
            ConfigurationError: Salt's master cannot be used; nothing was run.
            LockHeldError: another run works on one of the minions, or the project itself is being applied.
        """
        from ensue.salt.fleet.coordinator import FleetRun
        from ensue.store.runs.kept_fleet import fleet_to_resume

        command, wait = f"ensue runs resume {run_id}", RunOptions(wait_for_lock=wait_for_lock)
        with await self._lock(command, wait, shared=True):
            vault = self._stores.lazy_vault
            resumed = await asyncio.to_thread(fleet_to_resume, self.cachedir, run_id, vault)
            lock = partial(self._locked, command, wait)
            run = FleetRun(self.settings, self.masker, resumed.kept.order, self._stores, resumed, lock=lock)
            return await run.go(watcher)

    async def _locked(self, command: str, wait: RunOptions, run_id: str, minions: Sequence[str]) -> Lock:
        """Lock the minions of a run."""
        from ensue.store.runs.minion_locks import MinionLock

        lock = MinionLock(self.cachedir, run_id, minions)
        return await lock.take(command=command, wait_s=wait.lock_wait_s)


async def _begun(_: NodeStarted) -> None:
    """Do nothing: the run that asked for a call has recorded its beginning."""
