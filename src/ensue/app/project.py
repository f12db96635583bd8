"""One project on disk, and everything that a command can do with it: the API that the command line calls."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.app.fleet_project import FleetProject
from ensue.app.opened_project import ProjectOptions
from ensue.app.run import Run
from ensue.core.errors import UnknownRunError
from ensue.language.plans.assigned_sls import AssignedSls
from ensue.language.plans.run_options import RunOptions
from ensue.store.runs.journal import list_runs, read_run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.contracts.growth import Plan
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.data import Data
    from ensue.core.model.events import RunEvent, RunStarted
    from ensue.core.model.report import RunReport, RunSummary
    from ensue.core.model.srn import Srn
    from ensue.deploy.environments.deployment_reader import DeploymentReader, PlannedGraph
    from ensue.deploy.environments.deployment_report import DeploymentReport
    from ensue.deploy.environments.deployment_run import DeploymentRun
    from ensue.deploy.provisioning.identity import Context
    from ensue.language.plans.shown_sls import ShownKind, ShownTarget
    from ensue.language.targets.calls import CallOutcome
    from ensue.output.drawing.drawing import ScopeBox
    from ensue.salt.compare.comparison import TreeComparison
    from ensue.salt.compare.project_comparison import CompareOrder


class AppProject(FleetProject):
    """An opened project folder. Use `AppProject.open`; an async context manager that closes it.

    Args:
        settings: its options.
        options: what the command line says.
    """

    async def apply(
        self,
        mods: Sequence[str],
        options: RunOptions,
        *,
        on_event: Callable[[RunEvent], None],
        on_warning: Callable[[Diagnostic], None] = lambda _: None,
    ) -> RunReport:
        """Compile and run SLS, or the highstate if `mods` is empty.

        `on_warning` is called, before anything runs, with warnings that matter only during the run; all other
        warnings are in the report.

        Cancelling the task stops the run: nothing new starts, what is running ends, and a report
        with status `interrupted` is returned. A second cancellation ends what is running too.

        Raises:
            CompileError: nothing was run.
            UnknownRunError: the run to resume does not exist or cannot be resumed.
            StillRunningError: commands of the run to resume are still running.
            LockHeldError: another apply of the project is running.
            StoreError: the store of derived resources is damaged; nothing was run.
        """
        if options.test:
            # A plan changes nothing, so it needs no lock.
            return await self._with_remark(partial(self._run, mods, options, on_event, on_warning))
        target = () if options.tgt is None else (f"--tgt {self.masker.text(options.tgt)!r}",)
        with await self._lock(" ".join(("ensue", "apply", *target, *mods)), options):
            return await self._run(mods, options, on_event, on_warning)

    async def apply_state(
        self,
        function: str,
        name: str,
        arguments: Mapping[str, Data],
        options: RunOptions,
        *,
        target: Srn | None = None,
    ) -> RunReport:
        """Run one state whose arguments are data: nothing in them is a template or a reference.

        Args:
            function: a state function, `module.function`.
            name: its name, which is its ID, too.
            arguments: its other arguments.
            options: how it is done.
            target: the resource that it runs on; None: this machine.

        Raises:
            EnsueError: there is no such resource or function, or it does not take such arguments.
            LockHeldError: another apply of the project is running.
        """
        from ensue.deploy.environments.state_plan import state_plan

        async def plan() -> Plan:
            services = self._services()
            srn = services.stores.minion if target is None else services.targets.directory.resolve(target)
            await services.targets.preparation.prepare(srn)
            return await state_plan(services.compilation.states_of(srn.type), function, name, arguments, srn)

        run = partial(self._run, (function,), options, lambda _: None, lambda _: None, state=plan)
        if options.test:
            return await run()
        with await self._lock(function, options):
            return await run()

    async def deploy(
        self,
        order: DeploymentOrder,
        options: RunOptions,
        *,
        on_event: Callable[[RunEvent], None],
        on_warning: Callable[[Diagnostic], None] = lambda _: None,
    ) -> DeploymentReport:
        """Build a resource graph and provision it. Cancelling the task stops the run, as in `apply`.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph; nothing was
                provisioned.
            LockHeldError: an apply of the project, or another deployment of the environment, is running.
            StoreError: the records of the environment cannot be read.
        """
        from ensue.deploy.environments.deployment_report import DeploymentReport
        from ensue.deploy.environments.deployment_run import DeploymentRun
        from ensue.deploy.environments.known_environments import kept_env_type, require_environment
        from ensue.deploy.provisioning.identity import Context

        stores = self._services().stores
        context = Context(app=order.app, env=order.env, env_type="", org=order.org)
        if order.destroy:
            await asyncio.to_thread(require_environment, stores.history, stores.active, context)
        elif not order.env_type:
            env_type = await asyncio.to_thread(kept_env_type, stores.history, context)
            order = msgspec.structs.replace(order, env_type=env_type)
        deployment = DeploymentRun(
            stores,
            stores.deployments(order.definitions),
            order,
            is_test=options.test,
            warn=on_warning,
        )

        async def run() -> DeploymentReport:
            whole = partial(self._run, (), options, on_event, on_warning, deployment)
            report = await deployment.recorded(await (self._with_remark(whole) if options.test else whole()))
            nodes = deployment.outcomes()
            if options.test or report.stopped:
                return DeploymentReport(run=report, deployment=deployment, nodes=nodes)
            rendered = await deployment.rendered(nodes)
            report = msgspec.structs.replace(report, warnings=(*report.warnings, *rendered.warnings))
            return DeploymentReport(run=report, deployment=deployment, nodes=nodes, rendered=rendered.paths)

        if options.test:
            return await run()
        wait_s = options.lock_wait_s
        with await self._lock(f"ensue deploy {deployment.environment}", options, shared=True):
            async with stores.active.locked(deployment.context, self.cachedir, "deploy", wait_s):
                return await run()

    async def forget_active(self, context: Context, resources: Sequence[str]) -> None:
        """Drop the records of an environment's resources without removing the resources: no driver is called.

        Args:
            context: the environment.
            resources: `TYPE.CLASS#ID` each.

        Raises:
            ConfigurationError: one of them is not on record; none is forgotten.
            LockHeldError: a deployment of the environment is running.
            StoreError: the store cannot be read or written.
        """
        from ensue.deploy.environments.deployment_reader import kept_resources

        active = self._services().stores.active
        async with active.locked(context, self.cachedir, "deploy --forget", 0):
            kept = await asyncio.to_thread(active.load, context)
            for key in kept_resources(kept, resources):
                active.remove(context, key)
            await active.flush()

    async def _run(
        self,
        mods: Sequence[str],
        options: RunOptions,
        on_event: Callable[[RunEvent], None],
        warn: Callable[[Diagnostic], None],
        deployment: DeploymentRun | None = None,
        *,
        state: Callable[[], Awaitable[Plan]] | None = None,
    ) -> RunReport:
        self._stores.refuse_damaged()
        if not options.test:
            leftovers = self._services().targets.directory.leftovers
            await asyncio.to_thread(leftovers.take_over_all, self.cachedir)
        begin = self._stores.begin_run
        run = Run(self._services(), options, begin=begin, warn=warn, deployment=deployment, state=state)
        return await run.go(mods, on_event)

    async def call(
        self,
        target: str,
        function: str,
        args: Sequence[Data],
        kwargs: Mapping[str, Data],
        *,
        timeout_s: float | None = None,
        batch: str | None = None,
    ) -> AsyncIterator[CallOutcome]:
        """Call an execution function on every target that matches, and yield outcomes as they arrive.

        Raises:
            ConfigurationError: the target expression does not parse, or there is no such function.
            StoreError: a target's configuration cannot be decrypted.
        """
        from ensue.language.targets.calls import CallRequest, call

        request = CallRequest(
            target=target, function=function, args=args, kwargs=kwargs, timeout_s=timeout_s, batch=batch
        )
        async for outcome in call(self._services().targets, request):
            yield outcome

    async def near_target(self, target: str) -> str:
        """Return what may have been meant by a target that matches nothing.

        Raises:
            TargetSyntaxError: it does not parse, or names what does not exist.
        """
        from ensue.language.targets.target_matcher import ProjectMatcher

        return self.masker.text(await ProjectMatcher(await self._prepared()).hint(target))

    async def show(self, what: ShownKind, mods: Sequence[str]) -> Any:
        """Return high data, low chunks, pillar or top file matches, masked.

        Raises:
            CompileError: it does not compile.
        """
        from ensue.language.plans.shown_sls import ShowCommand

        return await ShowCommand(await self._prepared(), what, mods).of_minion()

    async def show_targets(self, what: ShownKind, target: str, mods: Sequence[str]) -> dict[str, ShownTarget]:
        """Return the masked data of `show` for every resource that a target matches, by id.

        Raises:
            ConfigurationError: the target does not parse, or names what does not exist.
            CompileError: it does not compile for one of them.
        """
        from ensue.language.plans.shown_sls import ShowCommand

        return await ShowCommand(await self._prepared(), what, mods).of_target(target)

    async def compare(self, order: CompareOrder, on_progress: Callable[[int, int], None]) -> TreeComparison:
        """Compare what Salt and ensue make of this project, changing nothing.

        Args:
            order: what is compared, and with which Salt.
            on_progress: called with how many states Salt has planned, and their total.

        Raises:
            ConfigurationError: Salt gives no answer.
            CompileError: there is nothing to compare.
        """
        from ensue.salt.compare.project_comparison import ProjectComparison

        return await ProjectComparison(self._services().targets, self._pillar, order).go(
            self.apply, on_progress
        )

    async def draw(self, mods: Sequence[str]) -> ScopeBox:
        """Return the drawing of what is known about a run before it.

        Raises:
            CompileError: it does not compile.
        """
        from ensue.output.drawing.from_plan import draw_plan

        targets = await self._prepared()
        assigned = AssignedSls(targets, test=True)
        compiled, _ = await asyncio.to_thread(assigned.compiled, targets.minion, mods)
        return draw_plan(compiled.plan, self.minion_id)

    async def deployment_graph(
        self,
        files: Sequence[Path],
        context: Context,
        definitions: Path | None = None,
        images: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> PlannedGraph:
        """Return the resource graph of Score files and deployment sets, before anything is provisioned.

        The resources of a list that is an output are in it if records of an earlier deployment have the list.

        Args:
            files: the files.
            context: where they are deployed.
            definitions: where definitions are; None: as `ensue.yaml` says.
            images: the image for containers whose image is `.`, by workload; `*`: all other workloads.
            values: values of the environment, for Score's types `environment` and `service`.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph.
        """
        from ensue.language.collector import Collector

        deployments, collector = self.deployments(definitions), Collector()
        built = await asyncio.to_thread(deployments.files_graph, files, context, collector, images)
        if built.graph.points:
            from ensue.deploy.environments.recorded_lists import grown_by_records

            built = await grown_by_records(self._services().stores, built, context, values, collector)
        return await asyncio.to_thread(deployments.planned, built.graph, collector, values)

    def deployments(self, definitions: Path | None = None) -> DeploymentReader:
        """Return what reads the project's resource definitions.

        Args:
            definitions: where they are; None: as `ensue.yaml` says.
        """
        from ensue.deploy.environments.deployment_reader import DeploymentReader

        return DeploymentReader(self.settings, self.masker, self._drivers, definitions)

    def runs(self) -> list[RunSummary]:
        """Return all runs, newest first."""
        return list_runs(self.cachedir)

    def start_to_resume(self, prefix: str) -> RunStarted | None:
        """Return how the run to resume began; None if that is not known.

        Args:
            prefix: see `journal_to_resume`.
        """
        from ensue.store.runs.run_chain import journal_to_resume
        from ensue.store.runs.run_history import ends_of

        with suppress(UnknownRunError, FileNotFoundError):
            return ends_of(journal_to_resume(self.cachedir, prefix))[0]
        return None

    def run_events(self, run_id: str) -> list[RunEvent]:
        """Return the journal of one run, by id or unique prefix of it.

        Raises:
            UnknownRunError: there is no such run, or several.
        """
        from ensue.store.runs.journaled_names import journaled_names

        events = read_run(self.cachedir, run_id)
        self.masker.add_source(journaled_names(events))
        return events


__all__ = ["AppProject", "ProjectOptions", "RunOptions"]
