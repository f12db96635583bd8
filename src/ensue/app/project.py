"""One project on disk and everything a command can do with it; the only API that the command line calls."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ensue.app.assigned_sls import AssignedSls
from ensue.app.recorded_run import RecordedRun, RunOptions
from ensue.app.sdb_options import with_sdb_values
from ensue.app.services import Services
from ensue.app.stores import Stores
from ensue.drivers.loading import FOLDER as DRIVERS_FOLDER
from ensue.drivers.loading import Drivers
from ensue.masking import Masker
from ensue.model.secret_values import mask_config, secret_values
from ensue.resources.plugins import Plugins
from ensue.resources.providers import FOLDER as PROVIDERS_FOLDER
from ensue.resources.providers import Providers
from ensue.resources.type_sources import FOLDER, TypeSources
from ensue.runs.journal import list_runs, read_run
from ensue.runs.lock import ProjectLock
from ensue.settings.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from ensue.app.calls import CallOutcome
    from ensue.app.comparison import CompareOrder
    from ensue.app.deployment_run import DeploymentReport, DeploymentRun
    from ensue.app.deployments import Deployments, PlannedGraph
    from ensue.app.refresh import Refreshed
    from ensue.app.shown import ShownKind, ShownTarget
    from ensue.compare.comparison import Comparison
    from ensue.contracts.deployment import DeploymentOrder
    from ensue.diagnostics import Diagnostic
    from ensue.model.data import Data, DataMap
    from ensue.model.events import RunEvent
    from ensue.model.report import RunReport, RunSummary
    from ensue.model.resource import Registration, RegistrationRequest, ResourceRecord
    from ensue.model.srn import Srn
    from ensue.output.drawing.drawing import ScopeBox
    from ensue.provisioning.active import ActiveResource
    from ensue.provisioning.identity import Context
    from ensue.registry.audit_check import AuditFault
    from ensue.registry.enforced import ShownState

_MOST_THREADS = 256
"""Renderings wait in threads for calls that themselves need threads: there must always be one more."""


class ProjectOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says about the project as a whole.

    Args:
        minion_id: `--id`; None: ensue.yaml's `id`, else the host name.
        pillar: `--pillar` and `--pillar-file`, merged; nested by colon keys already.
        overrides: options that outrank ensue.yaml, by their names there.
    """

    minion_id: str | None = None
    pillar: Mapping[str, Data] = msgspec.field(default_factory=dict[str, "Data"])
    overrides: Mapping[str, Data] = msgspec.field(default_factory=dict[str, "Data"])


class Project:
    """A project folder, opened. Use `Project.open`; an async context manager that closes it.

    Args:
        settings: its options.
        options: what the command line says.
    """

    def __init__(self, settings: Settings, options: ProjectOptions) -> None:
        self.settings = settings
        self.root = settings.root
        self.cachedir = settings.cachedir
        self.minion_id = settings.minion_id
        self.masker = Masker()
        # Before anything is read that might quote one of them in a message.
        self.masker.add_guessed(*secret_values(settings.values), *secret_values(options.pillar))
        self.masker.add(*settings.secrets)
        self._pillar = options.pillar
        folders = [folder for listed in settings.file_roots.values() for folder in listed]
        sources = TypeSources([folder / FOLDER for folder in folders], settings.root)
        providers = Providers([folder / PROVIDERS_FOLDER for folder in folders])
        self._plugins = Plugins(sources, settings.values, providers)
        self._drivers = Drivers([folder / DRIVERS_FOLDER for folder in folders])
        self._opened: Services | None = None
        self._stores = Stores(settings, self.masker, self._plugins, self._claimed_by_pillar)

    @classmethod
    def open(cls, root: Path, options: ProjectOptions) -> Project:
        """Read ensue.yaml and prepare, doing no other I/O.

        Raises:
            ConfigurationError: ensue.yaml is broken; all faults together.
        """
        return cls(read_settings(root, options.minion_id, options.overrides, with_sdb_values), options)

    def _services(self) -> Services:
        """Return what the project shares; made on the event loop that first asks."""
        if self._opened is None:
            executor = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="ensue")
            asyncio.get_running_loop().set_default_executor(executor)
            self._opened = Services(
                settings=self.settings,
                masker=self.masker,
                stores=self._stores,
                plugins=self._plugins,
                drivers=self._drivers,
                pillar_override=self._pillar,
            )
        return self._opened

    def _claimed_by_pillar(self, resource_id: str, /) -> Srn | None:
        if self._opened is None:
            return None
        return self._opened.directory.declared_as(resource_id)

    async def apply(
        self,
        mods: Sequence[str],
        options: RunOptions,
        *,
        on_event: Callable[[RunEvent], None],
        on_warning: Callable[[Diagnostic], None] = lambda _: None,
    ) -> RunReport:
        """Compile and run SLS, or the highstate when `mods` is empty.

        What only matters while the run goes on is told to `on_warning` before anything runs; all other
        warnings are in the report.

        Cancelling the task stops the run: nothing new starts, what is running ends, and a report
        with status `interrupted` is returned. A second cancellation ends what is running too.

        Raises:
            CompileError: nothing was run.
            UnknownRunError: the run to resume cannot be.
            StillRunningError: commands of the run to resume still run.
            LockHeldError: another apply of the project is running.
            StoreError: the store of derived resources is damaged; nothing was run.
        """
        if options.test:
            # A plan changes nothing, so it needs no lock.
            return await self._run(mods, options, on_event, on_warning)
        target = () if options.tgt is None else (f"--tgt {self.masker.text(options.tgt)!r}",)
        with await self._lock(" ".join(("ensue", "apply", *target, *mods)), options):
            return await self._run(mods, options, on_event, on_warning)

    async def deploy(
        self,
        order: DeploymentOrder,
        options: RunOptions,
        *,
        on_event: Callable[[RunEvent], None],
        on_warning: Callable[[Diagnostic], None] = lambda _: None,
    ) -> DeploymentReport:
        """Build a resource graph and provision it; cancelling is as with `apply`.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph; nothing was
                provisioned.
            LockHeldError: another apply of the project is running.
            StoreError: what is kept of the environment cannot be read.
        """
        from ensue.app.deployment_run import DeploymentReport, DeploymentRun

        services = self._services()
        deployment = DeploymentRun(services, services.deployments(order.definitions), order)

        async def run() -> DeploymentReport:
            report = await self._run((), options, on_event, on_warning, deployment)
            nodes = await deployment.end()
            rendered = () if options.test else await deployment.rendered(nodes)
            return DeploymentReport(run=report, deployment=deployment, nodes=nodes, rendered=tuple(rendered))

        if options.test:
            return await run()
        with await self._lock(f"ensue deploy {order.environment}", options):
            return await run()

    async def forget_active(self, context: Context, resources: Sequence[str]) -> None:
        """Keep resources of an environment no longer, without removing them: their drivers are not called.

        Args:
            context: the environment.
            resources: `TYPE.CLASS#ID` each.

        Raises:
            ConfigurationError: one of them is not there; none is forgotten.
            LockHeldError: another apply of the project is running.
            StoreError: the store cannot be read or written.
        """
        from ensue.app.deployments import kept_resources

        active = self._services().active
        with ProjectLock.acquire(self.cachedir, command="ensue deploy --forget", now=_moment()):
            kept = await asyncio.to_thread(active.load, context)
            for key in kept_resources(kept, resources):
                active.remove(context, key)
            await active.flush()

    async def _lock(self, command: str, options: RunOptions) -> ProjectLock:
        if options.wait_for_lock:
            return await ProjectLock.wait(self.cachedir, command=command, clock=_moment)
        return ProjectLock.acquire(self.cachedir, command=command, now=_moment())

    async def _run(
        self,
        mods: Sequence[str],
        options: RunOptions,
        on_event: Callable[[RunEvent], None],
        warn: Callable[[Diagnostic], None],
        deployment: DeploymentRun | None = None,
    ) -> RunReport:
        self._stores.refuse_damaged()
        if not options.test:
            await asyncio.to_thread(self._services().take_over_leftovers)
        run = RecordedRun(
            self._services(), options, begin=self._stores.begin_run, warn=warn, deployment=deployment
        )
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
        """Call an execution function on every target that matches; outcomes as they come.

        Raises:
            ConfigurationError: the target expression does not parse, or there is no such function.
            StoreError: a target's configuration cannot be decrypted.
        """
        from ensue.app.calls import CallRequest, call

        request = CallRequest(
            target=target, function=function, args=args, kwargs=kwargs, timeout_s=timeout_s, batch=batch
        )
        async for outcome in call(self._services(), request):
            yield outcome

    async def near_target(self, target: str) -> str:
        """Return what may have been meant by a target that matches nothing.

        Raises:
            TargetSyntaxError: it does not parse, or names what does not exist.
        """
        from ensue.app.target_matcher import ProjectMatcher

        return self.masker.text(await ProjectMatcher(await self._prepared()).hint(target))

    async def show(self, what: ShownKind, mods: Sequence[str]) -> Any:
        """Return high data, low chunks, pillar or top file matches, masked.

        Raises:
            CompileError: it does not compile.
        """
        from ensue.app.shown import Shown

        services = await self._prepared()
        return await Shown(services, what, mods).of_minion()

    async def show_targets(self, what: ShownKind, target: str, mods: Sequence[str]) -> dict[str, ShownTarget]:
        """Return the same as `show` of every resource that a target matches, by id.

        Raises:
            ConfigurationError: the target does not parse, or names what does not exist.
            CompileError: it does not compile for one of them.
        """
        from ensue.app.shown import Shown

        services = await self._prepared()
        return await Shown(services, what, mods).of_target(target)

    async def compare(self, order: CompareOrder, on_progress: Callable[[int, int], None]) -> Comparison:
        """Compare what Salt and ensue make of this project, changing nothing.

        Args:
            order: what is compared, and with which Salt.
            on_progress: told how many states Salt has planned, and of how many.

        Raises:
            ConfigurationError: Salt gives no answer.
            CompileError: there is nothing to compare.
        """
        from ensue.app.comparison import ProjectComparison

        return await ProjectComparison(self._services(), self._pillar, order).go(self.apply, on_progress)

    async def draw(self, mods: Sequence[str]) -> ScopeBox:
        """Return the drawing of what is known of a run before it.

        Raises:
            CompileError: it does not compile.
        """
        from ensue.output.drawing.from_plan import draw_plan

        services = await self._prepared()
        assigned = AssignedSls(services, test=True)
        compiled, _ = await asyncio.to_thread(assigned.compiled, services.minion, mods)
        return draw_plan(compiled.plan, self.minion_id)

    async def deployment_graph(
        self,
        files: Sequence[Path],
        context: Context,
        definitions: Path | None = None,
        images: Mapping[str, str] | None = None,
    ) -> PlannedGraph:
        """Return the resource graph of Score files and deployment sets, before anything is provisioned.

        Args:
            files: the files.
            context: where they are deployed.
            definitions: where definitions are; None: as `ensue.yaml` says.
            images: workload to the image of its containers whose image is `.`; `*`: of all others.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph.
        """
        deployments = self.deployments(definitions)
        return await asyncio.to_thread(deployments.planned, files, context, images)

    def deployments(self, definitions: Path | None = None) -> Deployments:
        """Return what reads the project's resource definitions.

        Args:
            definitions: where they are; None: as `ensue.yaml` says.
        """
        from ensue.app.deployments import Deployments

        return Deployments(self.settings, self.masker, self._drivers, definitions)

    async def active_resources(
        self, app: str | None = None, env: str | None = None
    ) -> list[tuple[Context, ActiveResource]]:
        """Return what deployments have provisioned, by environment and resource.

        Args:
            app: of this application alone; None: of all.
            env: of environments of this id alone; None: of all.

        Raises:
            StoreError: it cannot be read, or not be decrypted.
        """
        active = self._services().active
        known = await asyncio.to_thread(lambda: list(active.all()))
        return [
            (context, one)
            for context, one in known
            if app in {None, context.app} and env in {None, context.env}
        ]

    def enforced(self) -> list[ShownState]:
        """Return what every state last made true, secrets masked.

        Raises:
            StoreError: it cannot be read.
        """
        return list(self._stores.enforced().shown())

    async def resources(self) -> list[ResourceRecord]:
        """Return every resource: pillar-declared, discovered, derived; sorted by SRN."""
        services = await self._prepared()
        return await asyncio.to_thread(services.directory.records)

    async def resource_config(self, srn: Srn) -> DataMap | None:
        """Return a resource's configuration, secrets masked; None when there is no such resource."""
        services = await self._prepared()
        config = await asyncio.to_thread(services.directory.shown_config, srn)
        return None if config is None else self.masker.data(mask_config(config))

    async def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources of a resource, nearest first."""
        return await asyncio.to_thread(self._stores.registry().provenance, srn)

    async def grains_gathered_at(self, srn: Srn) -> datetime | None:
        """Return when the cached grains of a resource were gathered; None when none are in use.

        Raises:
            StoreError: the cache cannot be read.
        """
        services = await self._prepared()
        gathered_at_s = await services.directory.grains_gathered_at_s(srn)
        return None if gathered_at_s is None else datetime.fromtimestamp(gathered_at_s).astimezone()

    async def refresh(
        self,
        target: str | None = None,
        *,
        timeout_s: float | None = None,
        on_answer: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Refreshed:
        """Look which resources there are now, and gather the grains of those that match a target.

        Raises:
            ConfigurationError: the target does not parse.
            CompileError: pillar does not compile, or a type cannot discover.
            StoreError: what was seen cannot be noted.
        """
        from ensue.app.refresh import refresh

        return await refresh(self._services(), target, timeout_s=timeout_s, on_answer=on_answer)

    async def register(self, request: RegistrationRequest) -> Registration:
        """Register a resource by hand.

        Raises:
            ConfigurationError: its name, type or configuration makes no sense, or its id is taken.
            ResourceError: its lifetime or its source makes no sense.
            StoreError: the store cannot be written.
        """
        from ensue.app.manual_registration import register

        return await register(await self._prepared(), request)

    async def invalidate(self, source: Srn) -> list[Srn]:
        """Invalidate what was derived from a source."""
        registry = self._stores.registry()
        return await asyncio.to_thread(lambda: registry.invalidate(source, reason="invalidated by hand"))

    async def forget(self, srn: Srn) -> bool:
        """Remove a derived resource's entry, and what is kept of its grains."""
        await self._services().directory.grains_changed([srn])
        return await asyncio.to_thread(self._stores.registry().forget, srn)

    async def rotate_keys(self) -> int:
        """Encrypt every stored configuration and enforced state with a new key.

        Returns:
            How many there were.

        Raises:
            StoreError: a configuration cannot be decrypted; nothing was changed.
        """
        count = await asyncio.to_thread(self._stores.registry().rotate)
        # What is left of them is sealed with the key that is given up.
        await self._services().directory.clear_cached_grains()
        count += await asyncio.to_thread(self._services().active.reseal)
        return count + await asyncio.to_thread(self._stores.enforced().reseal)

    async def _prepared(self) -> Services:
        services = self._services()
        await services.prepare(services.minion)
        return services

    def audit_entries(self) -> list[DataMap]:
        """Return the audit log, oldest first."""
        return self._stores.registry().audit_entries()

    def audit_fault(self) -> AuditFault | None:
        """Check the audit log's chain: None when whole, else the first thing that is wrong."""
        return self._stores.registry().audit_fault()

    def runs(self) -> list[RunSummary]:
        """Return all runs, newest first."""
        return list_runs(self.cachedir)

    def run_events(self, run_id: str) -> list[RunEvent]:
        """Return the journal of one run, by id or unique prefix of it.

        Raises:
            UnknownRunError: there is none, or several.
        """
        return read_run(self.cachedir, run_id)

    async def __aenter__(self) -> Self:
        """Enter."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close connections and the store."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
        self._stores.close()


def _moment() -> datetime:
    return datetime.now().astimezone()


__all__ = ["Project", "ProjectOptions", "RunOptions"]
